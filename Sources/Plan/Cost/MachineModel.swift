package import MulticamMedia

/// The resources that a machine has for recording. `HardwareCost` compares plans with this model.
package struct MachineModel: Sendable, Equatable, Codable {
    /// The disk that recordings are written to.
    package struct Disk: Sendable, Equatable, Codable {
        /// Free space in bytes.
        package var freeBytes: Int64
        /// Measured write speed in bytes per second; `nil` if it hasn't been measured.
        package var bytesPerSecond: Double?

        /// Creates a disk with its free space and measured speed.
        package init(freeBytes: Int64, bytesPerSecond: Double?) {
            self.freeBytes = freeBytes
            self.bytesPerSecond = bytesPerSecond
        }
    }

    /// Number of processors that this process may use. A cgroup limit can make this number a fraction.
    package var processors: Double
    /// Processor time that each kind of work takes.
    package var costs: CostTable
    /// Whether `costs` were measured on this machine instead of another machine.
    package var isMeasured: Bool
    /// Free or reclaimable memory in bytes; `nil` if the system doesn't report it.
    package var freeMemory: Int64?
    /// Whether `freeMemory` is the remaining address space (`RLIMIT_AS`), which is less than the system's free memory.
    package var isMemoryLimited = false
    /// The disk that recordings are written to; `nil` if unknown.
    package var disk: Disk?
    /// USB connections of the cameras. Cameras that aren't listed don't reserve USB bandwidth.
    package var usb: USBTopology
    /// Hardware encoders that were found and tested on the machine, best first.
    package var encoders: [TriedEncoder]

    /// Creates a machine model from values that were measured or read from the system.
    package init(
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
