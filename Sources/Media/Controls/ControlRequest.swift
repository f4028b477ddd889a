/// A control of a camera and the value to set it to.
public struct ControlRequest: Sendable, Hashable, Codable {
    /// The source of the request.
    public enum Origin: String, Sendable, Hashable, Codable {
        /// A person asked for it: in a profile, on the command line or through the library.
        case asked
        /// A saved preset, named in a profile, has it.
        case preset
        /// The camera's frame rate must not fall in the dark.
        case rateLock = "rate-lock"
        /// The value is what another camera measured, or the camera's own settled focus.
        case match
    }

    /// The control's V4L2 name in snake case (`focus_absolute`).
    public let name: String
    /// The value to set, in the control's own units.
    public let value: Int64
    /// The source of the request.
    public let origin: Origin

    /// Makes a request; by default a person's.
    public init(name: String, value: Int64, origin: Origin = .asked) {
        self.name = name
        self.value = value
        self.origin = origin
    }

    /// Whether the camera may run without taking the value: no person asked for it by name.
    public var isOptional: Bool { origin != .asked }
}
