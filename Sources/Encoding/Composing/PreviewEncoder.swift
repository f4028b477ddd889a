internal import CMedia
public import Media

/// Makes small JPEGs of frames, for people who watch from afar. Used by one thread at a time.
public final class PreviewEncoder {
    private let encoder = JPEGEncoder(quality: PreviewEncoder.quality)
    private let painter = FramePainter()
    /// The scaled frame. Nothing but this object reads it.
    private var memory = SharedBytes(count: 0)

    /// JPEG quality of 1…100, as libjpeg counts: half the bytes of a camera's own frames, and no block is seen at arm's length.
    private static let quality = 75

    /// Creates an encoder.
    public init() {}

    /// The size of a preview: the frame's shape, both sides even.
    ///
    /// - Parameters:
    ///   - size: Width × height of the frame in pixels.
    ///   - width: The most columns that are wanted, at least 2.
    /// - Returns: `size` where it is no wider than `width`.
    public static func size(_ size: FrameSize, atMost width: Int) -> FrameSize {
        guard size.width > width else { return size }
        let height = Int64(size.height).rescaled(from: Int64(size.width), to: Int64(width))
        return FrameSize(width: max(width / 2 * 2, 2), height: max(Int(height) / 2 * 2, 2))
    }

    /// Makes the JPEG of a frame. A camera's own JPEG that is small enough stays as it is.
    ///
    /// - Parameters:
    ///   - frame: A JPEG or raw frame; H.264 must have been decoded.
    ///   - width: The most columns that are wanted, at least 2.
    /// - Returns: A whole JPEG of at most `width` columns.
    /// - Throws: When the frame is damaged.
    public func jpeg(of frame: CapturedFrame, atMost width: Int) throws(EncodingError) -> SharedBytes {
        if frame.pixel == .mjpeg, frame.size.width <= width { return frame.memory }
        let size = Self.size(frame.size, atMost: width)
        let even = FrameSize(width: max(size.width / 2 * 2, 2), height: max(size.height / 2 * 2, 2))
        let byteCount = FramePlane.packed(.i420, even).byteCount
        if memory.count != byteCount { memory = SharedBytes(count: byteCount) }
        let planes = Planes(i420: memory, size: even)
        let everything = PixelRectangle(x: 0, y: 0, width: frame.size.width, height: frame.size.height)
        guard painter.paint(frame, everything, into: planes) else {
            throw EncodingError(
                subject: "a \(frame.pixel.rawValue) frame of \(frame.size)", operation: "making a preview",
                reason: "it is damaged, or a stream that has to be decoded first")
        }
        ColorMap(from: FramePainter.meaning(of: frame), to: .jpeg)?.convert(planes)
        return try encoder.encode(
            planes: planes.y, yStride: planes.yStride, u: planes.u, uStride: planes.uStride, v: planes.v,
            vStride: planes.vStride, size: even, chroma: .c420)
    }
}
