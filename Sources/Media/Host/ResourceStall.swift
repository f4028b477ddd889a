/// The share of the last 10 s in which tasks waited for a resource (the kernel's pressure stall information, `avg10`).
public struct ResourceStall: Sendable, Equatable {
    /// A resource that the kernel counts stalls of; the raw value is the name of its file.
    public enum Resource: String, Sendable, CaseIterable {
        case processor = "cpu"
        case storage = "io"
        case memory
    }

    /// The set of tasks that a stall is counted for.
    public enum Scope: Sendable, Equatable {
        /// The tasks of the whole computer.
        case machine
        /// The tasks of the control group that this process is in.
        case ownGroup
    }

    /// The resource that tasks waited for.
    public let resource: Resource
    /// The tasks that are counted.
    public let scope: Scope
    /// The share of time in which at least one task waited, 0…1.
    public let some: Double
    /// The share of time in which all tasks that had work waited at once, 0…1; `nil` from kernels that do not report it for
    /// the processor (before 5.13).
    public let full: Double?

    /// Makes a value from the shares of time, each 0…1.
    public init(_ resource: Resource, _ scope: Scope, some: Double, full: Double?) {
        self.resource = resource
        self.scope = scope
        self.some = some
        self.full = full
    }
}
