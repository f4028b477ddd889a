public import Media

/// The part of a camera's frame that is used.
public enum CameraCrop: Sendable, Equatable {
    /// A rectangle in pixels of the stored frame, whose size the profile has to state.
    case rectangle(PixelRectangle)
    /// The largest part of this shape, as seen upright.
    case shape(AspectRatio)
}
