/// Where a camera's rotation comes from.
public enum RotationSource: String, Sendable, Codable {
    /// The profile states the rotation.
    case profile
    /// The rotation follows from how the camera is built in or mounted.
    case mounting
    /// The rotation follows from the camera's mounting and from how the computer is held, as its sensor reports.
    case sensor
}
