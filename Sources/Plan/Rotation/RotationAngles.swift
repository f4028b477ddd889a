public import Media

/// The clockwise rotations that make one camera's frames level, in files and in a preview.
public struct RotationAngles: Sendable, Equatable {
    /// The rotation for files and stills, which makes them upright for later viewers. It follows gravity alone.
    public var capture: Rotation
    /// The rotation for a preview, in the coordinates of the surface that shows it.
    public var preview: Rotation

    /// Creates a pair of rotations.
    public init(capture: Rotation, preview: Rotation) {
        self.capture = capture
        self.preview = preview
    }
}
