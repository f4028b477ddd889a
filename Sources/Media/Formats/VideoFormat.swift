/// What a camera delivers: pixel format, size and rate.
public struct VideoFormat: Sendable, Hashable, Codable {
    public let pixel: PixelFormat
    public let size: FrameSize
    /// The nominal rate that was asked for and granted. The measured one is the clock model's.
    public let rate: FrameRate

    public init(pixel: PixelFormat, size: FrameSize, rate: FrameRate) {
        self.pixel = pixel
        self.size = size
        self.rate = rate
    }
}

extension VideoFormat: CustomStringConvertible {
    public var description: String { "\(pixel.rawValue) \(size) at \(rate)" }
}
