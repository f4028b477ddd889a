/// A piece of what a phone has kept of a recording, as the web process hands it on: nothing of it is trusted.
package struct PhonePiece: Sendable, Codable {
    /// Selector of the phone, such as `phone:anna`. The web process knows it by the phone's key.
    package var device: String
    /// Role of its camera in the recording.
    package var role: String
    /// The number by which the phone knows what it has kept: 8 to 32 letters and digits.
    package var id: String
    /// Size of all of it in bytes.
    package var total: Int64
    /// Where the piece lies in it, in bytes.
    package var offset: Int64
    /// The bytes in base 64; empty for a question how much has arrived.
    package var bytes: String
    /// Whether the phone has thrown away what it had kept, so that what has arrived of it is of no use.
    package var isDiscarded: Bool

    /// Describes a piece; each parameter sets the property of its name.
    package init(
        device: String, role: String, id: String, total: Int64, offset: Int64 = 0, bytes: String = "",
        isDiscarded: Bool = false
    ) {
        (self.device, self.role, self.id) = (device, role, id)
        (self.total, self.offset, self.bytes) = (total, offset, bytes)
        self.isDiscarded = isDiscarded
    }
}
