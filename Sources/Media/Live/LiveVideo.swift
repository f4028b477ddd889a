/// Size, rate and bit rate of a publication's own frames, as the live process is told of them and tells of them.
public struct LiveVideo: Sendable, Hashable, Codable {
    /// Width in pixels, even; `nil` for the source's.
    public var width: Int?
    /// Height in pixels, even; `nil` for the source's.
    public var height: Int?
    /// Frames per second at most, such as `30` or `30000/1001`; `nil` for the source's.
    public var rate: String?
    /// Bits per second; `nil` for a virtual camera, which encodes nothing.
    public var bitrate: Int?

    /// Makes a description; each parameter sets the property of its name.
    public init(size: FrameSize?, rate: FrameRate?, bitrate: Int?) {
        (width, height) = (size?.width, size?.height)
        self.rate = rate.map { $0.seconds == 1 ? "\($0.frames)" : "\($0.frames)/\($0.seconds)" }
        self.bitrate = bitrate
    }

    /// Width and height; `nil` where one is missing.
    public var size: FrameSize? {
        guard let width, let height else { return nil }
        return FrameSize(width: width, height: height)
    }
}
