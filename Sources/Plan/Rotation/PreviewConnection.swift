public import Media

/// How a camera's preview is to be shown by the program that draws it. No pixel is touched for it.
public struct PreviewConnection: Sendable, Equatable, Codable {
    /// The camera's role.
    public var role: String
    /// The clockwise rotation on a surface that stands upright; for other surfaces `RotationCoordinator` tells it.
    public var rotation: Rotation
    /// Whether left and right are exchanged, after the rotation.
    public var isMirrored: Bool
    /// Why the preview is mirrored or not, as the end of a sentence.
    public var reason: String

    /// Creates the connection of a camera to its preview.
    public init(role: String, rotation: Rotation, isMirrored: Bool, reason: String) {
        self.role = role
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.reason = reason
    }
}
