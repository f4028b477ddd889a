public import Media

/// Finds the flashes that one camera shows, each with the range of time in which it began. It is a value: frames come in, events
/// go out.
public struct CameraEvents: Sendable {
    private var detector = FlashDetector()
    private var looks: [FlashOnset.Look] = []

    /// Number of frames that are kept: those by which an event may be reported late, and those before it that it is compared
    /// with.
    private static let kept = 16
    /// Number of standard errors of the clock model that are added to either side: two contain the truth in 95 % of cases.
    private static let standardErrors: Int64 = 2

    /// Creates a finder that has seen no frame.
    public init() {}

    /// Takes the next frame.
    ///
    /// - Parameters:
    ///   - brightness: Mean luma of the frame, 0…1.
    ///   - time: Start of the frame's exposure.
    ///   - interval: Time to the next frame; the exposure is not longer.
    ///   - error: Standard error of `time`.
    /// - Returns: An event some frames before this one. It began between `earliest` and `latest` whatever the camera's exposure
    ///   was, and however long the light stayed on.
    public mutating func add(
        brightness: Double, at time: MediaTime, interval: Nanoseconds, error: Nanoseconds
    ) -> SharpEvent? {
        looks = (looks + [FlashOnset.Look(brightness: brightness, time: time, interval: interval)])
            .suffix(Self.kept)
        guard let event = detector.add(brightness: brightness, at: time, exposure: interval),
            let found = looks.firstIndex(where: { $0.time == event.earliest }), isGapless(around: found)
        else { return nil }
        let range = FlashOnset.range(in: looks, found: found)
        let leeway = (error * Self.standardErrors).count
        return SharpEvent(
            earliest: MediaTime(nanoseconds: range.lowerBound.nanoseconds - leeway),
            latest: MediaTime(nanoseconds: range.upperBound.nanoseconds + leeway), strength: event.strength)
    }

    /// Whether no frame is missing in which the light may have shown first.
    private func isGapless(around found: Int) -> Bool {
        let near = looks[max(0, found - 2)..<min(found + 3, looks.count)]
        return zip(near, near.dropFirst()).allSatisfy { earlier, later in
            later.time.nanoseconds - earlier.time.nanoseconds < earlier.interval.count * 3 / 2
        }
    }

    /// Forgets all frames: the next one comes after a time without frames.
    public mutating func interrupt() {
        detector.interrupt()
        looks = []
    }
}
