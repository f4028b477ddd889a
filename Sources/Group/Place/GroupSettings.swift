/// What a computer keeps of a group, as `group.json` in the group's folder.
struct GroupSettings: Codable, Sendable, Equatable {
    /// The group's name.
    var name: String
    /// The address of the computer that serves it: an IP address or a host name.
    var address: String
    /// The broker's port; pairing has the next one, time the one after that.
    var port: Int
    /// This computer's name in the group; `nil` until it has joined.
    var node: String?
    /// Where this computer records, as an absolute path; `nil` until it has joined.
    var output: String?
    /// The address of another broker; `nil` for the group's own.
    var server: String?

    /// The broker's address.
    var broker: String { server ?? "tls://\(GroupAddress.text(address, port))" }
    /// The port for pairing.
    var pairingPort: Int { port + 1 }
    /// The port of the group's time.
    var timePort: Int { port + 2 }
}
