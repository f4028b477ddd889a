/// A computer that has joined a group, as the one that made the group remembers it.
struct GroupMember: Codable, Sendable, Equatable {
    /// Its name.
    var name: String
    /// The address from which it joined.
    var address: String
    /// The user who records there.
    var user: String
    /// The port of its SSH server.
    var sshPort: Int
    /// The public keys of its SSH server, each as in its file.
    var hostKeys: [String]
}
