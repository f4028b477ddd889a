public import Media

/// The SMPTE time code (ST 12-1) of a recording's first frame.
public struct Timecode: Sendable, Equatable {
    public let rate: FrameRate
    /// Frames since midnight. With drop-frame counting the labels are made from it, skipping the dropped ones.
    public let firstFrame: UInt32
    /// Whether labels are dropped so that they follow the clock: only at 29.97 and 59.94.
    public let isDropFrame: Bool

    public init(rate: FrameRate, firstFrame: UInt32, isDropFrame: Bool) {
        self.rate = rate
        self.firstFrame = firstFrame
        self.isDropFrame = isDropFrame && Self.hasDropFrame(rate)
    }

    /// Dates are exact to a quarter of a microsecond: an instant that lies less than this before a label's is that label's.
    private static let tolerance: Int64 = 10_000

    /// The label that a clock on the wall would show at `start`: of drop-frame kind where the rate has one.
    public init(at start: LocalTime, rate: FrameRate) {
        let time = MediaTime(nanoseconds: start.sinceMidnight.count + Self.tolerance)
        let counted = Self.countedRate(rate)
        let next = counted.ticks(before: time)
        let frame = counted.time(ofTick: next) > time ? next - 1 : next
        self.init(
            rate: rate, firstFrame: UInt32(clamping: frame % Self.framesPerDay(rate)),
            isDropFrame: Self.hasDropFrame(rate))
    }

    /// How long after `time` the clock on the wall comes to the next label: less than a frame's time, 0 at a label.
    public static func untilNextLabel(after time: LocalTime, rate: FrameRate) -> Nanoseconds {
        let counted = countedRate(rate)
        let now = MediaTime(nanoseconds: time.sinceMidnight.count)
        return Nanoseconds(counted.time(ofTick: counted.ticks(before: now)).nanoseconds - now.nanoseconds)
    }

    /// The time code of the frame that comes `count` frames later, of the next day where that is over.
    public func advanced(by count: Int64) -> Timecode {
        let day = Self.framesPerDay(rate)
        let frame = ((Int64(firstFrame) + count) % day + day) % day
        return Timecode(rate: rate, firstFrame: UInt32(clamping: frame), isDropFrame: isDropFrame)
    }

    /// Labels in a second: 30 at 29.97.
    var labelsPerSecond: Int64 { Self.labelsPerSecond(rate) }

    private static func labelsPerSecond(_ rate: FrameRate) -> Int64 {
        (rate.frames + rate.seconds - 1) / rate.seconds
    }

    /// How fast labels follow each other. Without dropped ones, that of second s is s × the labels of a second, whatever the
    /// true rate.
    private static func countedRate(_ rate: FrameRate) -> FrameRate {
        hasDropFrame(rate) ? rate : FrameRate(labelsPerSecond(rate))
    }

    /// With dropped labels, 108 of 108 000 an hour at 29.97 (SMPTE ST 12-1).
    private static func framesPerDay(_ rate: FrameRate) -> Int64 {
        let labels = labelsPerSecond(rate) * 86_400
        return hasDropFrame(rate) ? labels - labels / 1000 : labels
    }

    private static func hasDropFrame(_ rate: FrameRate) -> Bool {
        rate == FrameRate(30000, per: 1001) || rate == FrameRate(60000, per: 1001)
    }
}
