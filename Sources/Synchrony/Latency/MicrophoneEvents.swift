public import Media

/// The claps and beeps that one microphone hears, on the session clock. A value: audio in, events out.
///
/// A detector wants samples at one rate, a device's clock drifts: onsets are looked for by the device's own count, and
/// dated by the slice that they lie in.
public struct MicrophoneEvents: Sendable {
    private struct Slice {
        let firstSample: Int64
        let time: MediaTime
        let error: Nanoseconds
    }

    private let rate: Int
    private var detector: OnsetDetector
    private var expected: Int64?
    /// The slices of the last seconds.
    private var slices: [Slice] = []

    /// A detector tells an onset 0.3 s after it was.
    private static let keptSeconds: Int64 = 2
    private static let standardErrors: Int64 = 2

    /// - Parameter rate: Samples per second, nominal.
    public init(rate: Int) {
        self.rate = rate
        detector = OnsetDetector(rate: Double(rate))
    }

    /// Takes the next slice.
    ///
    /// - Parameters:
    ///   - samples: Interleaved; their mean over the channels is listened to.
    ///   - channels: At least 1.
    ///   - firstSample: The device's own count per channel before them. After a jump listening begins anew.
    ///   - time: When the first was captured.
    ///   - error: The standard error of `time`.
    /// - Returns: What has become certain, some 0.3 s after it was.
    public mutating func add(
        _ samples: [Float], channels: Int, firstSample: Int64, at time: MediaTime, error: Nanoseconds
    ) -> [SharpEvent] {
        if firstSample != expected { interrupt() }
        let count = samples.count / channels
        expected = firstSample + Int64(count)
        slices.append(Slice(firstSample: firstSample, time: time, error: error))
        let oldest = firstSample - Self.keptSeconds * Int64(rate)
        slices.removeFirst(slices.firstIndex { $0.firstSample >= oldest } ?? 0)
        let mono: [Float] =
            channels == 1
            ? samples
            : (0..<count).map { frame in
                samples[frame * channels..<(frame + 1) * channels].reduce(0, +) / Float(channels)
            }
        let counted = MediaTime(nanoseconds: ownTime(of: firstSample))
        return detector.add(mono, at: counted).map(dated)
    }

    /// The events that were still to be judged, as if silence followed. Nothing may be added afterwards.
    public mutating func finish() -> [SharpEvent] { detector.finish().map(dated) }

    /// What comes next is after a time that nobody heard.
    public mutating func interrupt() {
        detector = OnsetDetector(rate: Double(rate))
        slices = []
        expected = nil
    }

    /// A sample's time by a clock that runs at the nominal rate, from the first sample on.
    private func ownTime(of sample: Int64) -> Int64 {
        Nanoseconds.duration(of: sample, perSecond: Int64(rate)).count
    }

    private func dated(_ event: SharpEvent) -> SharpEvent {
        guard let slice = slices.last(where: { ownTime(of: $0.firstSample) <= event.latest.nanoseconds })
        else { return event }
        let shift = slice.time.nanoseconds - ownTime(of: slice.firstSample)
        let leeway = (slice.error * Self.standardErrors).count
        return SharpEvent(
            earliest: MediaTime(nanoseconds: event.earliest.nanoseconds + shift - leeway),
            latest: MediaTime(nanoseconds: event.latest.nanoseconds + shift + leeway),
            strength: event.strength)
    }
}
