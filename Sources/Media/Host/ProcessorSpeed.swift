/// How fast the processor may run at present, and how often it was slowed down for heat.
public struct ProcessorSpeed: Sendable, Equatable {
    /// What the processors together may run at, of what they can: 0…1. Below 1 somebody capped them: a person, a power
    /// profile, the firmware.
    public let allowed: Double
    /// Processors that are capped, of how many.
    public let capped: Int
    public let count: Int
    /// How often a processor was slowed down for heat since the system started; `nil` where no processor counts it.
    public let throttlings: Int64?

    public init(allowed: Double, capped: Int, count: Int, throttlings: Int64?) {
        self.allowed = allowed
        self.capped = capped
        self.count = count
        self.throttlings = throttlings
    }
}
