public import Media

/// The rotation that a profile asks for a camera's frames.
public enum CameraRotation: Sendable, Equatable {
    case fixed(Rotation)
    /// The rotation that follows from the camera's mounting and the computer's accelerometer, for built-in cameras.
    case sensor
}
