public import MulticamMedia

/// The current system pressure on a session's computer: the level, its causes, the estimated remaining time,
/// and the readings that are missing.
public struct SystemPressure: Sendable, Equatable {
    /// The level of the worst factor, or `nominal` if there are no factors.
    public let level: PressureLevel
    /// The factors above nominal, in descending order of severity. Each cause occurs at most once.
    public let factors: [PressureFactor]
    /// The estimated time for which the session can continue under the current conditions.
    public let cost: PressureCost
    /// The readings that the computer doesn't provide. If the level is `nominal`, only the available readings
    /// are known to be nominal.
    package let missing: [MissingSource]
    /// Time until the disk is full. `nil` until the data rate of the recording is known.
    public let diskTime: Nanoseconds?

    /// The pressure as sentences for the user: the level, its causes, and advice.
    public var text: String {
        guard let worst = factors.first else { return "system pressure is nominal." }
        let causes = factors.filter { $0.level == worst.level }.map(\.text).joined(separator: "; ")
        let urgency =
            switch level {
            case .nominal, .fair, .serious: "Remedy:"
            case .critical: "Act soon:"
            case .shutdown: "Stop the recording now. Before you continue,"
            }
        return "system pressure is \(level.rawValue): \(causes). \(urgency) \(worst.advice)."
    }
}

/// The severity of system pressure, with the levels and recommendations of Apple's system pressure API.
public enum PressureLevel: String, Sendable, Codable, CaseIterable {
    case nominal
    /// The pressure is slightly elevated. The session should be monitored, but no action is necessary.
    case fair
    /// The load should be reduced, for example by lowering a frame rate or closing other programs.
    case serious
    /// The load must be reduced soon because frames are being lost or the computer is close to its limits.
    case critical
    /// The session must stop because the computer is about to terminate it.
    case shutdown
}

extension PressureLevel: Comparable {
    private var rank: Int {
        switch self {
        case .nominal: 0
        case .fair: 1
        case .serious: 2
        case .critical: 3
        case .shutdown: 4
        }
    }

    /// Orders levels from `nominal` to `shutdown`.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
}

/// One cause of system pressure, with its level and its value.
public struct PressureFactor: Sendable, Equatable {
    /// The kind of problem that causes system pressure.
    package enum Cause: String, Sendable, Codable, CaseIterable {
        /// Tasks are waiting for the CPU.
        case processorStall = "cpu-stall"
        /// All tasks are waiting for the disk at the same time.
        case storageStall = "io-stall"
        /// Tasks are waiting for memory.
        case memoryStall = "memory-stall"
        /// A part of the computer is hot.
        case temperature
        /// The processor is throttled because of heat.
        case throttling = "cpu-throttling"
        /// The processor can't run at full speed.
        case speed = "cpu-speed"
        /// The control group's CPU quota is exhausted.
        case share = "cpu-share"
        /// The computer is running on battery.
        case power
        /// An encoder has fallen behind.
        case encoder
        /// The writing of a file has fallen behind.
        case writer
        /// The disk is filling up.
        case disk

        /// The cause in two or three words for the user, such as `busy processor`.
        package var summary: String {
            switch self {
            case .processorStall: "busy processor"
            case .storageStall: "slow disk"
            case .memoryStall: "low memory"
            case .temperature: "hot computer"
            case .throttling: "slowed by heat"
            case .speed: "slow processor"
            case .share: "limited processor time"
            case .power: "on battery"
            case .encoder: "encoder is behind"
            case .writer: "disk is behind"
            case .disk: "disk nearly full"
            }
        }
    }

    /// The kind of the cause.
    package let cause: Cause
    /// The pressure level that the cause produces.
    public let level: PressureLevel
    /// A printable clause that contains the measured value, without a final period, such as `tasks waited for
    /// the processor in 72 % of the last 10 s`.
    public let text: String

    /// Creates a factor. The factor's text is made printable and truncated to 300 characters.
    package init(_ cause: Cause, _ level: PressureLevel, _ text: String) {
        self.cause = cause
        self.level = level
        self.text = text.printable(limit: 300)
    }

    /// Advice about the cause for the user, as a clause without a final period.
    public var advice: String {
        switch cause {
        case .processorStall: "close other programs, or record at a lower frame rate or size"
        case .storageStall, .writer: "record to a faster disk, or stop other programs that write to it"
        case .memoryStall: "close other programs"
        case .temperature, .throttling: "improve the cooling, or record at a lower frame rate or size"
        case .speed: "select the power profile `performance`"
        case .share: "give this program's control group more processor time (`cpu.max`)"
        case .power: "plug the computer in"
        case .encoder: "record at a lower frame rate or size"
        case .disk: "free some space, or record to another disk"
        }
    }
}

/// The estimated time for which a session can continue, on the scale of Apple's `systemPressureCost`. With
/// values below 1, the session can continue indefinitely; with 1…2, for about 15 minutes; with 2…3, for about
/// 10 minutes; and above 3, only briefly.
///
/// The cost is an estimate that extrapolates the current trend linearly to the nearest limit. In reality,
/// temperatures level off, batteries discharge unevenly, and disk usage changes.
public struct PressureCost: Sendable, Equatable {
    /// The cost, at least 0. The cost is 0 if no known limit is being approached.
    public let value: Double
    /// Time until the nearest limit. `nil` if no limit is being approached.
    public let timeLeft: Nanoseconds?
    /// The consequence of reaching the nearest limit, such as `the disk is full`. `nil` if no limit is being
    /// approached.
    public let limit: String?

    /// A limit and the estimated time until it is reached.
    struct Deadline: Sendable, Equatable {
        let limit: String
        let timeLeft: Nanoseconds
    }

    /// Calculates the cost from the nearest deadline and the current level.
    ///
    /// - Parameters:
    ///   - deadlines: The limits that are being approached.
    ///   - level: The current level. The level determines the minimum cost: serious 1, critical 2, shutdown 3.
    init(deadlines: [Deadline], level: PressureLevel) {
        let nearest = deadlines.min { $0.timeLeft < $1.timeLeft }
        timeLeft = nearest?.timeLeft
        limit = nearest?.limit
        let least: Double =
            switch level {
            case .nominal, .fair: 0
            case .serious: 1
            case .critical: 2
            case .shutdown: 3
            }
        value = max(least, nearest.map { Self.value(timeLeft: $0.timeLeft) } ?? 0)
    }

    /// Maps the remaining time to a cost. The line through the midpoints of Apple's two ranges (1.5 at 15 min, 2.5 at
    /// 10 min) reaches 1 at 17.5 min. For longer times, the cost is inversely proportional to the time.
    static func value(timeLeft: Nanoseconds) -> Double {
        let minutes = max(timeLeft.inSeconds / 60, 0)
        return minutes < 17.5 ? 4.5 - minutes / 5 : 17.5 / minutes
    }
}
