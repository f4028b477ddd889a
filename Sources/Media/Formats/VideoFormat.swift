/// The format of a camera's frames: pixel format, size and rate.
public struct VideoFormat: Sendable, Hashable, Codable {
    /// How the bytes of a frame are to be read.
    public let pixel: PixelFormat
    /// Size of the stored frames in pixels.
    public let size: FrameSize
    /// The nominal rate that was asked for and granted. The clock model knows the measured one.
    public let rate: FrameRate

    /// Makes a format from its parts.
    public init(pixel: PixelFormat, size: FrameSize, rate: FrameRate) {
        self.pixel = pixel
        self.size = size
        self.rate = rate
    }
}

extension VideoFormat: CustomStringConvertible {
    /// The format as a person reads it: `mjpeg 1280x720 at 30`.
    public var description: String { "\(pixel.rawValue) \(size) at \(rate)" }
}
