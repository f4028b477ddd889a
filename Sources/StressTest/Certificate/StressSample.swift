public import Media
public import Monitoring

/// The state of a run at one moment. Counters run since the devices started, so that two samples give what lies between them.
public struct StressSample: Sendable, Equatable {
    /// The counters of one camera.
    public struct Camera: Sendable, Equatable {
        /// The number of delivered frames.
        public var frames = 0
        /// The size of all delivered frames in bytes.
        public var bytes: Int64 = 0
        /// The sum of the deviations of all time stamps from an even rhythm; divide it by `intervals`.
        public var jitter = Nanoseconds.zero
        /// The number of intervals between frames that `jitter` sums up.
        public var intervals = 0
        /// Frames lost before their delivery since T0, by cause.
        public var lost: [LossCause: Int] = [:]
        /// How often the camera went away.
        public var absences = 0
        /// Frames that the camera's track lost since T0, whatever the cause.
        public var lostInAll = 0

        /// Creates counters of zero.
        public init() {}
    }

    /// The time of the sample since T0.
    public var time: MediaTime
    /// The counters of the cameras, by role.
    public var cameras: [String: Camera]
    /// System pressure; `nil` when it is not measured.
    public var pressure: PressureLevel?
    /// The temperature of the hottest zone; `nil` when there is none.
    public var temperature: Temperature?
    /// The processor time of the process without the threads of synthetic devices; `nil` in simulated time.
    public var processorTime: Nanoseconds?
    /// The processor time of the threads of synthetic devices; `nil` in simulated time.
    public var syntheticTime: Nanoseconds?
    /// The space on the disk; `nil` when unknown.
    public var disk: DiskSpace?
    /// Roles of the cameras whose clock model is unreliable.
    public var unlocked: [String]

    /// Creates a sample from its values.
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
