public import Media

/// A machine as far as it limits a recording: what `HardwareCost` measures a plan against.
public struct MachineModel: Sendable, Equatable, Codable {
    /// Where recordings are written.
    public struct Disk: Sendable, Equatable, Codable {
        public var freeBytes: Int64
        /// Measured; `nil` where it was not.
        public var bytesPerSecond: Double?

        public init(freeBytes: Int64, bytesPerSecond: Double?) {
            self.freeBytes = freeBytes
            self.bytesPerSecond = bytesPerSecond
        }
    }

    /// Processors that this process may use; a limit by control groups may make it a fraction.
    public var processors: Double
    public var costs: CostTable
    /// Whether `costs` were measured on this machine; else figures of another one stand in.
    public var isMeasured: Bool
    /// Memory that is free or can be made so, in bytes; `nil` where the system does not say.
    public var freeMemory: Int64?
    public var disk: Disk?
    /// Where the cameras hang; one that is not in it keeps nothing of any USB.
    public var usb: USBTopology
    /// Hardware encoders that are there and were tried, the best first.
    public var encoders: [TriedEncoder]

    public init(
        processors: Double, costs: CostTable, isMeasured: Bool = true, freeMemory: Int64?, disk: Disk?,
        usb: USBTopology = USBTopology(), encoders: [TriedEncoder] = []
    ) {
        self.processors = processors
        self.costs = costs
        self.isMeasured = isMeasured
        self.freeMemory = freeMemory
        self.disk = disk
        self.usb = usb
        self.encoders = encoders
    }
}
