public import Media

/// A machine as far as it limits a recording: what `HardwareCost` measures a plan against.
public struct MachineModel: Sendable, Equatable, Codable {
    /// The disk that recordings are written to.
    public struct Disk: Sendable, Equatable, Codable {
        /// Free space in bytes.
        public var freeBytes: Int64
        /// Measured write speed in bytes per second; `nil` where it has not been measured.
        public var bytesPerSecond: Double?

        /// Creates a disk with its free space and its measured speed.
        public init(freeBytes: Int64, bytesPerSecond: Double?) {
            self.freeBytes = freeBytes
            self.bytesPerSecond = bytesPerSecond
        }
    }

    /// Processors that this process may use; a limit by control groups may make it a fraction.
    public var processors: Double
    /// Processor time that each kind of work takes.
    public var costs: CostTable
    /// Whether `costs` were measured on this machine; otherwise figures of another machine stand in.
    public var isMeasured: Bool
    /// Memory in bytes that is free or can be made so; `nil` where the system does not say.
    public var freeMemory: Int64?
    /// The disk that recordings are written to; `nil` where nothing is known of it.
    public var disk: Disk?
    /// The USB connections of the cameras; a camera that is not in it reserves no bandwidth.
    public var usb: USBTopology
    /// Hardware encoders that exist and were tried, the best first.
    public var encoders: [TriedEncoder]

    /// Creates a machine model from what was measured or read from the system.
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
