public import Media

/// The SMPTE time code (ST 12-1) of a recording's first picture.
public struct Timecode: Sendable, Equatable {
    public let rate: FrameRate
    /// Pictures since midnight. With drop-frame counting the labels are made from it, skipping the dropped ones.
    public let firstFrame: UInt32
    /// Whether labels are dropped so that they follow the clock: only at 29.97 and 59.94.
    public let isDropFrame: Bool

    public init(rate: FrameRate, firstFrame: UInt32, isDropFrame: Bool) {
        self.rate = rate
        self.firstFrame = firstFrame
        self.isDropFrame = isDropFrame && Self.hasDropFrame(rate)
    }

    /// The label that a clock on the wall would show at `start`: of drop-frame kind where the rate has one.
    public init(at start: LocalTime, rate: FrameRate) {
        let time = MediaTime(nanoseconds: start.sinceMidnight.count)
        let isDropFrame = Self.hasDropFrame(rate)
        // Without dropped labels, the label of second s is s × the labels of a second, whatever the true rate.
        let counted = isDropFrame ? rate : FrameRate(Self.labelsPerSecond(rate))
        let next = counted.ticks(before: time)
        let frame = counted.time(ofTick: next) > time ? next - 1 : next
        self.init(rate: rate, firstFrame: UInt32(clamping: frame), isDropFrame: isDropFrame)
    }

    /// Labels in a second: 30 at 29.97.
    var labelsPerSecond: Int64 { Self.labelsPerSecond(rate) }

    private static func labelsPerSecond(_ rate: FrameRate) -> Int64 {
        (rate.pictures + rate.seconds - 1) / rate.seconds
    }

    private static func hasDropFrame(_ rate: FrameRate) -> Bool {
        rate == FrameRate(30000, per: 1001) || rate == FrameRate(60000, per: 1001)
    }
}
