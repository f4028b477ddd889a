public import Media

/// What a frame tap wants: pixels as captured or converted, a part, a size, a rate. The tap's own thread makes it.
public struct FrameRequest: Sendable, Equatable {
    /// Pixel format in which the handler gets frames.
    public enum Format: Sendable, Equatable {
        /// The camera's own bytes, whole, as captured: JPEG, H.264 or raw. The part, the size and, of H.264, the rate do not
        /// apply. The program's frames are `i420`.
        case asCaptured
        /// Pixels in `nv12`, `i420` or `bgra`; a compressed frame is decoded.
        case converted(PixelFormat)
    }

    /// Pixel format in which the handler gets frames.
    public var format: Format
    /// The part of the stored frame to give, in shares of its width and height; `nil` for the whole frame.
    public var part: FramePart?
    /// Width and height in pixels, both even and at most 7680 × 4320, to which the part is scaled; `nil` for the part's own
    /// size. Shapes that differ are stretched.
    public var size: FrameSize?
    /// The most frames per second; `nil` for all. Frames are left out evenly, and are no losses.
    public var rate: FrameRate?

    /// Creates a request; each parameter sets the property of its name.
    public init(
        _ format: Format = .asCaptured, part: FramePart? = nil, size: FrameSize? = nil, rate: FrameRate? = nil
    ) {
        self.format = format
        self.part = part
        self.size = size
        self.rate = rate
    }
}
