/// One of the sockets and built-in microphones that a source of the sound server can listen to. Its texts are printable.
public struct AudioPort: Sendable, Hashable {
    /// The server's name of the port: `analog-input-linein`.
    public let name: String
    /// The server's name of the port for people.
    public let description: String
    /// Whether the source listens to this port now.
    public let isActive: Bool
    /// Whether the server says that nothing is plugged in.
    public let isUnplugged: Bool

    /// Makes a port from what the server says; the texts must be printable.
    public init(name: String, description: String, isActive: Bool, isUnplugged: Bool = false) {
        self.name = name
        self.description = description
        self.isActive = isActive
        self.isUnplugged = isUnplugged
    }
}
