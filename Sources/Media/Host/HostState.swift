/// The state of the computer at one moment. Sources that gave no value, or an impossible one, are listed in `missing`.
public struct HostState: Sendable, Equatable {
    /// Pressure stall information of each resource, for the machine and for this process's control group.
    public var stalls: [ResourceStall] = []
    /// Temperatures of the kernel's thermal zones, with their limits.
    public var zones: [ThermalZone] = []
    /// The processors' permitted speed and their heat throttling; `nil` where unknown.
    public var speed: ProcessorSpeed?
    /// The part of the processors that this process may use; `nil` where unknown.
    public var share: ProcessorShare?
    /// The power supply; `nil` where unknown.
    public var power: PowerSupply?
    /// The space on the recording's disk; `nil` where unknown.
    public var disk: DiskSpace?
    /// The sources that gave no usable value, each with its reason.
    public var missing: [MissingSource] = []

    /// Makes a state in which nothing is known yet.
    public init() {}
}
