public import Media

/// How long and how well to measure.
public struct CalibrationOptions: Sendable, Equatable {
    /// How many events each device must have noticed, at least; 3 or more.
    public var events: Int
    /// How well each is to be known: the measurement goes on until its uncertainty is no more.
    public var goal: Nanoseconds
    /// How long to go on at most, from when all devices deliver.
    public var duration: Nanoseconds
    /// The role of the microphone against whose clock the others are measured; the first one when `nil`.
    public var reference: String?
    /// How long devices have to deliver good frames and audio.
    public var startTimeLimit: Nanoseconds

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
