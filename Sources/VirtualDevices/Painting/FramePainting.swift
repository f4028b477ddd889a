import Media

/// The sensor and encoder of a synthetic camera: makes the bytes of each frame. Used by one thread alone.
protocol FramePainting: AnyObject {
    /// Makes the bytes of a frame. When `isStream` is true, it must be called for every frame in order.
    func paint(_ frame: ExposedFrame) throws(EncodingError) -> PaintedFrame

    /// Whether frames depend on their predecessors, as in H.264.
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
    /// Layout of the planes of a raw frame; empty when compressed.
    var planes: [FramePlane] = []
    var isKey = true
}
