public import Media

/// How a profile wants a camera's frames turned.
public enum CameraRotation: Sendable, Equatable {
    case fixed(Rotation)
    /// As the camera is mounted and the computer is held, by its accelerometer: for cameras that are built in.
    case sensor
}
