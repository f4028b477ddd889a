public import Media
public import Monitoring

/// The state of a run at one moment: counters since its devices started, so that between any two samples nothing is missed.
public struct StressSample: Sendable, Equatable {
    public struct Camera: Sendable, Equatable {
        public var frames = 0
        public var bytes: Int64 = 0
        /// Sum of the distances of all time stamps from an even rhythm, and how many they are.
        public var jitter = Nanoseconds.zero
        public var intervals = 0
        /// Before they arrived, by cause, from T0 on.
        public var lost: [LossCause: Int] = [:]
        /// How often it went away.
        public var absences = 0
        /// Of the camera's track, whatever the cause.
        public var lostInAll = 0

        public init() {}
    }

    public var time: MediaTime
    public var cameras: [String: Camera]
    public var pressure: PressureLevel?
    /// Of the hottest zone.
    public var temperature: Temperature?
    /// Of the process, without the threads that stand in for hardware, and those threads'. `nil` in simulated time.
    public var processorTime: Nanoseconds?
    public var syntheticTime: Nanoseconds?
    public var disk: DiskSpace?
    /// Whether each device's clock can be relied on.
    public var unlocked: [String]

    public init(
        time: MediaTime, cameras: [String: Camera], pressure: PressureLevel?, temperature: Temperature?,
        processorTime: Nanoseconds?, syntheticTime: Nanoseconds?, disk: DiskSpace?, unlocked: [String]
    ) {
        self.time = time
        self.cameras = cameras
        self.pressure = pressure
        self.temperature = temperature
        self.processorTime = processorTime
        self.syntheticTime = syntheticTime
        self.disk = disk
        self.unlocked = unlocked
    }
}
