package import Media

/// The time until the disk of a recording is full, at the rate at which its own files grow. Data that others write shows as
/// less room at the next reading.
package struct DiskHeadroom: Sendable {
    /// The time left at which each level begins, in seconds with the sign turned: time to notice, to decide and to change the
    /// disk, and at last to close the files.
    private static let steps = LevelSteps(fair: -15 * 60, serious: -5 * 60, critical: -2 * 60, shutdown: -30)
    /// The shortest span that tells a rate, as files grow by a fragment a second.
    private static let leastSpan = Nanoseconds.seconds(3)

    private var recorded = RecentSamples(window: .seconds(30))

    package init() {}

    /// The time until the disk is full.
    ///
    /// - Returns: `nil` until the rate is known, and where nothing is written.
    package mutating func timeLeft(_ disk: DiskSpace?, readAt time: ClockTime) -> Nanoseconds? {
        guard let disk else {
            recorded.removeAll()
            return nil
        }
        recorded.add(Double(disk.recordedBytes), at: time)
        guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = Double(max(disk.freeBytes, 0)) / bytesPerSecond
        // 30 years are as good as forever.
        return .seconds(rounding: min(seconds, 1e9))
    }

    /// Bytes per second by which the recording's files grow; `nil` until that is known.
    package var bytesPerSecond: Double? {
        recorded.span >= Self.leastSpan ? recorded.increase / recorded.span.inSeconds : nil
    }

    static func factor(_ timeLeft: Nanoseconds?) -> PressureFactor? {
        guard let timeLeft else { return nil }
        let seconds = Int64(timeLeft.inSeconds)
        let text = seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
        return PressureFactor(
            .disk, steps.level(ofRemaining: timeLeft.inSeconds), "the disk will be full in \(text)")
    }
}
