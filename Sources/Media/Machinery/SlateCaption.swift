/// What a slate says: whose frame is missing.
public struct SlateCaption: Sendable, Hashable {
    /// The camera's role, without control characters. Empty: not said.
    public let role: String
    /// The device's name, without control characters. Empty: not said.
    public let device: String
    /// The turn by which players bring the track upright: the words are drawn turned the other way.
    public let rotation: Rotation

    /// What is wrong, in every slate.
    public static let complaint = "no frame"

    /// - Parameters:
    ///   - role: Of any length; what is too long to be read at a glance is cut.
    ///   - device: As the device calls itself, of any length and with any characters.
    ///   - rotation: Clockwise.
    public init(role: String, device: String, rotation: Rotation = .none) {
        // More characters than these fit no slate at any size that can be read.
        self.role = role.printable(limit: 40)
        self.device = device.printable(limit: 80)
        self.rotation = rotation
    }
}
