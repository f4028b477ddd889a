/// How much of the processors this process may use, and how often it was stopped for wanting more.
public struct ProcessorShare: Sendable, Equatable {
    /// Number of processors that the process may run on (its affinity).
    public let processors: Int
    /// Processors' worth of time that its control group may use, for example 1.5; `nil` where there is no quota.
    public let quota: Double?
    /// Periods of the quota in which the group has run since it was made; `nil` where there is no quota.
    public let periods: Int64?
    /// Periods in which the group was stopped because it had used up its quota; `nil` where there is no quota.
    public let throttledPeriods: Int64?

    /// Makes a value from the affinity and the control group's figures.
    public init(processors: Int, quota: Double? = nil, periods: Int64? = nil, throttledPeriods: Int64? = nil)
    {
        self.processors = processors
        self.quota = quota
        self.periods = periods
        self.throttledPeriods = throttledPeriods
    }

    /// Processors' worth of time that can be used at most: the smaller of `processors` and `quota`.
    public var usable: Double { min(Double(processors), quota ?? .infinity) }
}
