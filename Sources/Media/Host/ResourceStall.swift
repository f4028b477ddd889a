/// How much of the last 10 s tasks waited for a resource (the kernel's pressure stall information, `avg10`).
public struct ResourceStall: Sendable, Equatable {
    public enum Resource: String, Sendable, CaseIterable {
        case processor = "cpu"
        case storage = "io"
        case memory
    }

    /// Whose tasks are meant.
    public enum Scope: Sendable, Equatable {
        case machine
        /// The control group that this process is in.
        case ownGroup
    }

    public let resource: Resource
    public let scope: Scope
    /// The share of time in which at least one task waited, 0…1.
    public let some: Double
    /// The share of time in which all that had work waited at once, 0…1; `nil` from kernels that do not tell it of the
    /// processor (before 5.13).
    public let full: Double?

    public init(_ resource: Resource, _ scope: Scope, some: Double, full: Double?) {
        self.resource = resource
        self.scope = scope
        self.some = some
        self.full = full
    }
}
