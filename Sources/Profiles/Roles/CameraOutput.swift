public import Media

/// The size and rate of a camera's encoded track: its frames are cropped to the shape, scaled down, and some left out. The
/// camera itself runs as it would without.
public struct CameraOutput: Sendable, Equatable {
    /// The track's size as seen upright, with even sides, never larger than the camera's; `nil` for the camera's size.
    public var size: FrameSize?
    /// The track's rate; `nil` for the role's rate.
    public var rate: FrameRate?

    /// Creates an output, which by default is as the camera delivers.
    public init(size: FrameSize? = nil, rate: FrameRate? = nil) {
        self.size = size
        self.rate = rate
    }
}
