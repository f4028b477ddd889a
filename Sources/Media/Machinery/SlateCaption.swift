/// The words on a slate: which camera's frame is missing.
public struct SlateCaption: Sendable, Hashable {
    /// The camera's role, printable and cut after 40 characters; empty leaves it out.
    public let role: String
    /// The device's name, printable and cut after 80 characters; empty leaves it out.
    public let device: String
    /// The clockwise rotation that players apply to the track: the words are drawn turned the other way.
    public let rotation: Rotation

    /// What is the matter, printable and cut after 80 characters; empty leaves it out.
    public let complaint: String

    /// What a slate says that stands for a missing frame.
    public static let usualComplaint = "no picture"

    /// Makes a caption, and makes its texts printable.
    ///
    /// - Parameters:
    ///   - role: Of any length; what is too long to be read at a glance is cut.
    ///   - device: The name that the device gives itself, of any length and with any characters.
    ///   - rotation: The clockwise rotation that players apply to the track.
    ///   - complaint: What is the matter.
    public init(
        role: String, device: String, rotation: Rotation = .none, complaint: String = usualComplaint
    ) {
        // More characters than these fit no slate at any size that can be read.
        self.role = role.printable(limit: 40)
        self.device = device.printable(limit: 80)
        self.rotation = rotation
        self.complaint = complaint.printable(limit: 80)
    }

    /// The caption for another device of the same role.
    package func naming(_ device: String) -> SlateCaption {
        SlateCaption(role: role, device: device, rotation: rotation, complaint: complaint)
    }
}
