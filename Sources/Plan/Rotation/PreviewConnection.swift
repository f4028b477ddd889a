public import Media

/// How a camera's preview is to be shown: by whoever shows it, as its layer is drawn. No pixel is touched for it.
public struct PreviewConnection: Sendable, Equatable, Codable {
    public var role: String
    /// Turns what is shown clockwise, on a surface that stands upright; elsewhere `RotationCoordinator` tells.
    public var rotation: Rotation
    /// Left and right are exchanged after it was turned.
    public var isMirrored: Bool
    /// Why it is mirrored or not: the end of a sentence.
    public var reason: String

    public init(role: String, rotation: Rotation, isMirrored: Bool, reason: String) {
        self.role = role
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.reason = reason
    }
}
