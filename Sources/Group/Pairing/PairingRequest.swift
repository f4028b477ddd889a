/// What a computer that joins says.
struct PairingRequest: Codable, Sendable {
    /// The secret of the pairing code.
    var secret: String
    /// The name that it wants.
    var name: String
    /// Its request for a certificate, as PEM.
    var request: String
    /// The user who records there.
    var user: String
    /// The port of its SSH server.
    var sshPort: Int
    /// The public keys of its SSH server.
    var hostKeys: [String]
}
