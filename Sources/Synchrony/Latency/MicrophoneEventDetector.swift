package import MulticamMedia

/// Detects claps and beeps in the audio of one microphone, and reports them on the clock of the microphone's
/// time stamps. The detector is a value type that receives audio and returns events.
///
/// A detector needs samples at a constant rate, but a device's clock drifts. Onsets are therefore located by
/// the device's own sample count, and then converted to times using the time stamp of the audio slice that
/// contains them.
package struct MicrophoneEventDetector: Sendable {
    private struct Slice {
        let firstSample: Int64
        let time: MediaTime
        let error: Nanoseconds
    }

    private let rate: Int
    private var detector: OnsetDetector
    private var expected: Int64?
    /// The audio slices of the last two seconds.
    private var slices: [Slice] = []

    /// Time in seconds for which slices are stored. The time must exceed 0.3 s, which is the delay with which
    /// the detector reports an onset.
    private static let keptSeconds: Int64 = 2
    private static let standardErrors: Int64 = 2

    /// Creates a detector for a microphone with a nominal rate in samples per second.
    package init(rate: Int) {
        self.rate = rate
        detector = OnsetDetector(rate: Double(rate))
    }

    /// Processes the next slice of audio.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples; full scale is ±1. The mean of the channels is used.
    ///   - channels: Number of channels, at least 1.
    ///   - firstSample: The device's own count of samples per channel before this slice. If the count jumps,
    ///     detection restarts.
    ///   - time: Capture time of the first sample.
    ///   - error: Standard error of `time`.
    /// - Returns: Events that are now certain. Each event is reported about 0.3 s after it happened.
    package mutating func add(
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

    /// Returns the events that haven't been reported yet, assuming that silence follows. Don't add any audio
    /// after this call.
    package mutating func finish() -> [SharpEvent] { detector.finish().map(dated) }

    /// Discards all audio, because the next slice follows a period without audio.
    package mutating func interrupt() {
        detector = OnsetDetector(rate: Double(rate))
        slices = []
        expected = nil
    }

    /// Returns the time of a sample in nanoseconds, on a clock that runs at the nominal rate and starts at sample 0.
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
