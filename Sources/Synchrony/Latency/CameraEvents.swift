public import Media

/// The flashes that one camera sees, each with the range of time in which it must have been. A value: frames in, events out.
public struct CameraEvents: Sendable {
    private var detector = FlashDetector()
    private var looks: [FlashOnset.Look] = []

    /// As many frames are kept as an event may be told late by, and those before it that it is compared with.
    private static let kept = 16
    /// A clock model's standard error is taken twice: 95 % of the truth lies within.
    private static let standardErrors: Int64 = 2

    public init() {}

    /// Takes the next frame.
    ///
    /// - Parameters:
    ///   - brightness: 0…1.
    ///   - time: The start of its exposure.
    ///   - interval: To the next frame: its exposure is no longer.
    ///   - error: The standard error of `time`.
    /// - Returns: An event some frames before this one. It lies within `earliest` and `latest` whatever the camera's
    ///   exposure was, and however long the light stayed on.
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

    /// Whether no frame is missing in which the light could have been seen first.
    private func isGapless(around found: Int) -> Bool {
        let near = looks[max(0, found - 2)..<min(found + 3, looks.count)]
        return zip(near, near.dropFirst()).allSatisfy { earlier, later in
            later.time.nanoseconds - earlier.time.nanoseconds < earlier.interval.count * 3 / 2
        }
    }

    /// What comes next is after a time that nobody saw.
    public mutating func interrupt() {
        detector.interrupt()
        looks = []
    }
}
