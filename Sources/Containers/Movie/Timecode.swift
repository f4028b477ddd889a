public import Media

/// SMPTE time code (ST 12-1) of a recording's first frame.
public struct Timecode: Sendable, Equatable {
    /// Frame rate of the time code.
    public let rate: FrameRate
    /// Number of frames since midnight. With drop-frame counting, labels are made from it by skipping the dropped ones.
    public let firstFrame: UInt32
    /// Whether labels are dropped so that they follow the clock; only at 29.97 and 59.94 frames per second.
    public let isDropFrame: Bool

    /// Creates a time code; `isDropFrame` counts only at 29.97 and 59.94 frames per second.
    public init(rate: FrameRate, firstFrame: UInt32, isDropFrame: Bool) {
        self.rate = rate
        self.firstFrame = firstFrame
        self.isDropFrame = isDropFrame && Self.hasDropFrame(rate)
    }

    /// Tolerance in nanoseconds: dates are exact to a quarter of a microsecond, so an instant that lies less than this before a
    /// label belongs to the label.
    private static let tolerance: Int64 = 10_000

    /// The label that a clock on the wall would show at `start`, with drop-frame counting where the rate has it.
    public init(at start: LocalTime, rate: FrameRate) {
        let time = MediaTime(nanoseconds: start.sinceMidnight.count + Self.tolerance)
        let counted = Self.countedRate(rate)
        let next = counted.ticks(before: time)
        let frame = counted.time(ofTick: next) > time ? next - 1 : next
        self.init(
            rate: rate, firstFrame: UInt32(clamping: frame % Self.framesPerDay(rate)),
            isDropFrame: Self.hasDropFrame(rate))
    }

    /// Time from `time` until the clock on the wall reaches the next label: less than the length of a frame, and 0 at a label.
    public static func untilNextLabel(after time: LocalTime, rate: FrameRate) -> Nanoseconds {
        let counted = countedRate(rate)
        let now = MediaTime(nanoseconds: time.sinceMidnight.count)
        return Nanoseconds(counted.time(ofTick: counted.ticks(before: now)).nanoseconds - now.nanoseconds)
    }

    /// The time code `count` frames later; it begins again at midnight.
    public func advanced(by count: Int64) -> Timecode {
        let day = Self.framesPerDay(rate)
        let frame = ((Int64(firstFrame) + count) % day + day) % day
        return Timecode(rate: rate, firstFrame: UInt32(clamping: frame), isDropFrame: isDropFrame)
    }

    /// Number of labels in a second: 30 at 29.97 frames per second.
    var labelsPerSecond: Int64 { Self.labelsPerSecond(rate) }

    private static func labelsPerSecond(_ rate: FrameRate) -> Int64 {
        (rate.frames + rate.seconds - 1) / rate.seconds
    }

    /// Rate at which labels follow each other. Without drop-frame counting, second s has the label s × labels per second,
    /// whatever the true rate is.
    private static func countedRate(_ rate: FrameRate) -> FrameRate {
        hasDropFrame(rate) ? rate : FrameRate(labelsPerSecond(rate))
    }

    /// Number of labels in a day; drop-frame counting drops 108 of 108,000 per hour at 29.97 frames per second (SMPTE ST 12-1).
    private static func framesPerDay(_ rate: FrameRate) -> Int64 {
        let labels = labelsPerSecond(rate) * 86_400
        return hasDropFrame(rate) ? labels - labels / 1000 : labels
    }

    private static func hasDropFrame(_ rate: FrameRate) -> Bool {
        rate == FrameRate(30000, per: 1001) || rate == FrameRate(60000, per: 1001)
    }
}
