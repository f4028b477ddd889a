import Media

/// What a synthetic camera's sensor and encoder do: frames, each a function of its frame. Used by one thread alone.
protocol FramePainting: AnyObject {
    /// Paints the frame of a frame. Where frames depend on their predecessors, every frame must be asked for.
    func paint(_ frame: ExposedFrame) throws(EncodingError) -> PaintedFrame

    /// Whether frames depend on their predecessors.
    var isStream: Bool { get }

    /// Begins anew, as a camera does that is switched on: the next frame depends on none before it.
    func restart() throws(EncodingError)
}

extension FramePainting {
    var isStream: Bool { false }
    func restart() {}
}

/// The bytes of a frame as a camera delivers them.
struct PaintedFrame {
    let memory: SharedBytes
    /// Empty when compressed.
    var planes: [FramePlane] = []
    var isKey = true
}
