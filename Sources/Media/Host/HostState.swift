/// What the computer said of itself at one moment. A source that said nothing, or nothing that can be, is in `missing`.
public struct HostState: Sendable, Equatable {
    public var stalls: [ResourceStall] = []
    public var zones: [ThermalZone] = []
    public var speed: ProcessorSpeed?
    public var share: ProcessorShare?
    public var power: PowerSupply?
    public var disk: DiskSpace?
    public var missing: [MissingSource] = []

    public init() {}
}
