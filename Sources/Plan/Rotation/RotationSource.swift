/// Where a camera's angle comes from.
public enum RotationSource: String, Sendable, Codable {
    /// A number in the profile.
    case profile
    /// How the camera is built in or mounted.
    case mounting
    /// That, and how the computer is held.
    case sensor
}
