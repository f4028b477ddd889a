/// A control and the value that it is to have.
public struct ControlRequest: Sendable, Hashable, Codable {
    /// Who wants it so.
    public enum Origin: String, Sendable, Hashable, Codable {
        /// A person: in a profile, on the command line or through the library.
        case asked
        /// A saved preset, named in a profile.
        case preset
        /// A camera's rate shall not fall in the dark.
        case rateLock = "rate-lock"
        /// What another camera measured, or its own settled focus.
        case match
    }

    public let name: String
    public let value: Int64
    public let origin: Origin

    public init(name: String, value: Int64, origin: Origin = .asked) {
        self.name = name
        self.value = value
        self.origin = origin
    }

    /// Whether a camera that does not take it may run all the same: nobody has asked for it by name.
    public var isOptional: Bool { origin != .asked }
}
