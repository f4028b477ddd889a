/// How fast the processors may run at present, and how often they were slowed down for heat.
public struct ProcessorSpeed: Sendable, Equatable {
    /// The sum of the processors' permitted frequencies over the sum of their highest ones, 0…1. Below 1 a person, a power
    /// profile or the firmware has capped them.
    public let allowed: Double
    /// Number of processors that may not run at their highest frequency.
    public let capped: Int
    /// Number of processors whose frequencies are known.
    public let count: Int
    /// How often a processor was slowed down for heat since the system started; `nil` where no processor counts it.
    public let throttlings: Int64?

    /// Makes a value from the processors' figures.
    public init(allowed: Double, capped: Int, count: Int, throttlings: Int64?) {
        self.allowed = allowed
        self.capped = capped
        self.count = count
        self.throttlings = throttlings
    }
}
