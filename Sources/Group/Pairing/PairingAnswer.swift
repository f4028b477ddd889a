/// What a computer that joins is told.
struct PairingAnswer: Codable, Sendable {
    /// Why it may not join; `nil` when it may.
    var refusal: String?
    /// Its certificate, as PEM.
    var certificate: String?
    /// The certificate of the group's authority, as PEM.
    var authority: String?
    /// The broker's port.
    var port: Int?
    /// The address of another broker than the group's own.
    var server: String?
    /// The public SSH key of the computer that collects recordings.
    var collectKey: String?
}
