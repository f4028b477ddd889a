import Media

/// What a made-up camera's sensor and encoder do: pictures, each a function of its frame. Used by one thread alone.
protocol PicturePainting: AnyObject {
    /// Paints the picture of a frame. Where pictures depend on their predecessors, every frame must be asked for.
    func paint(_ frame: ExposedFrame) throws(EncodingError) -> PaintedPicture

    /// Whether pictures depend on their predecessors.
    var isStream: Bool { get }

    /// Begins anew, as a camera does that is switched on: the next picture depends on none before it.
    func restart() throws(EncodingError)
}

extension PicturePainting {
    var isStream: Bool { false }
    func restart() {}
}

/// The bytes of a picture as a camera delivers them.
struct PaintedPicture {
    let memory: SharedBytes
    /// Empty when compressed.
    var planes: [PicturePlane] = []
    var isKey = true
}
