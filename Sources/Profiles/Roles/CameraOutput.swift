public import Media

/// What an encoded track is to be, made of what its camera delivers: cropped to the shape, scaled down, frames left out. The
/// camera itself runs as it would.
public struct CameraOutput: Sendable, Equatable {
    /// As seen upright, sides even. Never larger than what the camera delivers. `nil`: as that.
    public var size: FrameSize?
    /// Of the track alone. `nil`: as the role's rate says.
    public var rate: FrameRate?

    public init(size: FrameSize? = nil, rate: FrameRate? = nil) {
        self.size = size
        self.rate = rate
    }
}
