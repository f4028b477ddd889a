/// How much of the processors this process may use, and how often it wanted more.
public struct ProcessorShare: Sendable, Equatable {
    /// Processors that it may run on (its affinity).
    public let processors: Int
    /// Processors' worth of time that its control group may use; `nil` where that is not limited.
    public let quota: Double?
    /// Periods of the quota in which the group ran since it was made, and those in which it was stopped for having used
    /// its quota; `nil` where there is none.
    public let periods: Int64?
    public let throttledPeriods: Int64?

    public init(processors: Int, quota: Double? = nil, periods: Int64? = nil, throttledPeriods: Int64? = nil)
    {
        self.processors = processors
        self.quota = quota
        self.periods = periods
        self.throttledPeriods = throttledPeriods
    }

    /// Processors' worth of time that can be used at most.
    public var usable: Double { min(Double(processors), quota ?? .infinity) }
}
