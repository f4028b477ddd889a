package import MulticamMedia

/// SMPTE timecode (ST 12-1) of a recording's first frame.
package struct Timecode: Sendable, Equatable {
    /// Frame rate of the timecode.
    package let rate: FrameRate
    /// Number of frames since midnight. With drop-frame counting, dropped labels aren't counted as frames.
    package let firstFrame: UInt32
    /// Whether drop-frame counting keeps the labels synchronized with the wall clock. Drop-frame counting is
    /// possible only at 29.97 and 59.94 frames per second.
    package let isDropFrame: Bool

    /// Creates a timecode. `isDropFrame` applies only at 29.97 and 59.94 frames per second.
    package init(rate: FrameRate, firstFrame: UInt32, isDropFrame: Bool) {
        self.rate = rate
        self.firstFrame = firstFrame
        self.isDropFrame = isDropFrame && Self.hasDropFrame(rate)
    }

    /// Tolerance in nanoseconds. Because dates are accurate only to a quarter of a microsecond, a time that
    /// precedes a label by less than this tolerance is assigned to the label.
    private static let tolerance: Int64 = 10_000

    /// Creates the timecode that corresponds to the wall clock time `start`. Drop-frame counting is used if
    /// the rate supports it.
    package init(at start: LocalTime, rate: FrameRate) {
        let time = MediaTime(nanoseconds: start.timeSinceMidnight.count + Self.tolerance)
        let counted = Self.countedRate(rate)
        let next = counted.ticks(before: time)
        let frame = counted.time(ofTick: next) > time ? next - 1 : next
        self.init(
            rate: rate, firstFrame: UInt32(clamping: frame % Self.framesPerDay(rate)),
            isDropFrame: Self.hasDropFrame(rate))
    }

    /// Returns the time from `time` until the wall clock reaches the next timecode label. The result is 0 at
    /// a label, and always less than the duration of a frame.
    package static func timeUntilNextLabel(after time: LocalTime, rate: FrameRate) -> Nanoseconds {
        let counted = countedRate(rate)
        let now = MediaTime(nanoseconds: time.timeSinceMidnight.count)
        return Nanoseconds(counted.time(ofTick: counted.ticks(before: now)).nanoseconds - now.nanoseconds)
    }

    /// Returns the timecode that is `count` frames later. The timecode restarts at midnight.
    ///
    /// A day of drop-frame labels is 86.4 ms shorter than 24 hours (SMPTE ST 12-1: 2,589,408 labels at 29.97
    /// frames per second, while a day has 2,589,410.6 frames). Labels therefore restart at the first frame
    /// after midnight on the wall clock. As a result, files that start after midnight stay aligned with audio
    /// files, whose time reference is a number of samples since midnight.
    package func advanced(by count: Int64) -> Timecode {
        let day = Self.framesPerDay(rate)
        let clockDay =
            isDropFrame ? rate.ticks(before: MediaTime(nanoseconds: 86_400_000_000_000)) : day
        let frame = ((Int64(firstFrame) + count) % clockDay + clockDay) % clockDay % day
        return Timecode(rate: rate, firstFrame: UInt32(clamping: frame), isDropFrame: isDropFrame)
    }

    /// Number of timecode labels per second, such as 30 at 29.97 frames per second.
    var labelsPerSecond: Int64 { Self.labelsPerSecond(rate) }

    private static func labelsPerSecond(_ rate: FrameRate) -> Int64 {
        (rate.frames + rate.seconds - 1) / rate.seconds
    }

    /// Rate at which timecode labels are counted. Without drop-frame counting, the label at s seconds since
    /// midnight is s × labels per second, regardless of the actual frame rate.
    private static func countedRate(_ rate: FrameRate) -> FrameRate {
        hasDropFrame(rate) ? rate : FrameRate(labelsPerSecond(rate))
    }

    /// Number of timecode labels per day. At 29.97 frames per second, drop-frame counting drops 108 of
    /// 108,000 labels per hour (SMPTE ST 12-1).
    package static func framesPerDay(_ rate: FrameRate) -> Int64 {
        let labels = labelsPerSecond(rate) * 86_400
        return hasDropFrame(rate) ? labels - labels / 1000 : labels
    }

    private static func hasDropFrame(_ rate: FrameRate) -> Bool {
        rate == FrameRate(30000, per: 1001) || rate == FrameRate(60000, per: 1001)
    }
}
