public import Media

/// By how much one camera's frames are turned clockwise to be level.
public struct RotationAngles: Sendable, Equatable {
    /// For files and stills: so that they are upright whoever looks at them later. Follows gravity alone.
    public var capture: Rotation
    /// For a preview: in the coordinates of the surface that shows it.
    public var preview: Rotation

    public init(capture: Rotation, preview: Rotation) {
        self.capture = capture
        self.preview = preview
    }
}
