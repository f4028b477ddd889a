/// The place of one plane of a raw frame in its memory.
public struct FramePlane: Sendable, Hashable {
    /// Bytes from the start of the memory to the plane's first pixel.
    public let offset: Int
    /// Bytes from one row to the next, at least those of the row's pixels.
    public let stride: Int

    /// Makes a plane from its offset and stride in bytes.
    public init(offset: Int, stride: Int) {
        self.offset = offset
        self.stride = stride
    }

    /// The planes of a tightly packed raw frame, and the bytes that all of them take. Empty and 0 for compressed formats.
    public static func packed(_ pixel: PixelFormat, _ size: FrameSize) -> (planes: [Self], byteCount: Int) {
        let (width, height) = (size.width, size.height)
        let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
        let sides: [(stride: Int, rows: Int)] =
            switch pixel {
            case .mjpeg, .h264: []
            case .yuyv, .uyvy: [(halfWidth * 4, height)]
            case .bgra: [(width * 4, height)]
            case .grey: [(width, height)]
            case .nv12: [(width, height), (halfWidth * 2, halfHeight)]
            case .i420, .converted: [(width, height), (halfWidth, halfHeight), (halfWidth, halfHeight)]
            case .i422: [(width, height), (halfWidth, height), (halfWidth, height)]
            }
        var offset = 0
        let planes = sides.map { side in
            defer { offset += side.stride * side.rows }
            return Self(offset: offset, stride: side.stride)
        }
        return (planes, offset)
    }
}
