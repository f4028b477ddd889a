/// One of the sockets and built-in microphones that a source of the sound server can listen to. Text is fit to print.
public struct AudioPort: Sendable, Hashable {
    /// As the server knows it: `analog-input-linein`.
    public let name: String
    public let description: String
    public let isActive: Bool
    /// Whether the server says that nothing is plugged in.
    public let isUnplugged: Bool

    public init(name: String, description: String, isActive: Bool, isUnplugged: Bool = false) {
        self.name = name
        self.description = description
        self.isActive = isActive
        self.isUnplugged = isUnplugged
    }
}
