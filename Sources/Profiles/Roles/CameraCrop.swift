public import Media

/// The part of a camera's frame that is used.
public enum CameraCrop: Sendable, Equatable {
    /// In pixels of the stored frame, which so has to be of a size that the profile knows.
    case rectangle(PixelRectangle)
    /// As much as there is of this shape, as seen upright.
    case shape(AspectRatio)
}
