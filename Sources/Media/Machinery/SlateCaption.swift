/// The words on a slate: which camera's frame is missing.
public struct SlateCaption: Sendable, Hashable {
    /// The camera's role, printable and cut after 40 characters; empty leaves it out.
    public let role: String
    /// The device's name, printable and cut after 80 characters; empty leaves it out.
    public let device: String
    /// The clockwise rotation that players apply to the track: the words are drawn turned the other way.
    public let rotation: Rotation

    /// The words that every slate has: `no frame`.
    public static let complaint = "no picture"

    /// Makes a caption, and makes both texts printable.
    ///
    /// - Parameters:
    ///   - role: Of any length; what is too long to be read at a glance is cut.
    ///   - device: The name that the device gives itself, of any length and with any characters.
    ///   - rotation: The clockwise rotation that players apply to the track.
    public init(role: String, device: String, rotation: Rotation = .none) {
        // More characters than these fit no slate at any size that can be read.
        self.role = role.printable(limit: 40)
        self.device = device.printable(limit: 80)
        self.rotation = rotation
    }

    /// The caption for another device of the same role.
    package func naming(_ device: String) -> SlateCaption {
        SlateCaption(role: role, device: device, rotation: rotation)
    }
}
