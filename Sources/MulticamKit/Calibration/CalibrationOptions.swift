public import Media

/// How long and how accurately a calibration measures.
public struct CalibrationOptions: Sendable, Equatable {
    /// The fewest events that each device must notice; 3 or more.
    public var events: Int
    /// The accuracy to reach: the measurement goes on until the uncertainty of each device is at most this.
    public var goal: Nanoseconds
    /// The longest duration, counted from when all devices deliver.
    public var duration: Nanoseconds
    /// The role of the microphone that the other devices are compared with; `nil` for the first one.
    public var reference: String?
    /// The longest time for the devices to deliver good frames and audio.
    public var startTimeLimit: Nanoseconds

    /// Creates options from their values.
    public init(
        events: Int = 10, goal: Nanoseconds = .milliseconds(2), duration: Nanoseconds = .seconds(120),
        reference: String? = nil, startTimeLimit: Nanoseconds = .seconds(10)
    ) {
        self.events = events
        self.goal = goal
        self.duration = duration
        self.reference = reference
        self.startTimeLimit = startTimeLimit
    }
}
