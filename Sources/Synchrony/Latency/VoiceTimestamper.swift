package import MulticamMedia

/// Determines the capture times of a voice signal that a sound server derives from a microphone. The voice
/// signal is compared with the microphone's own audio.
///
/// Sound servers report the delay of their modules in different ways, and the reported delay keeps changing
/// for several seconds after the start. However, both audio streams run on one clock, so the voice signal
/// stays in phase with the microphone's audio. Correlation finds the corresponding samples in both streams.
/// The result is valid until the server loses a block of audio, which typically happens in the first second
/// or two. An offset is accepted if two consecutive correlations find the same offset with certainty. Silence
/// and tones provide no information.
///
/// This value type chooses the samples to compare and evaluates the results. The caller performs the
/// comparison itself with `AudioCorrelation`, because a comparison takes several milliseconds.
package struct VoiceTimestamper: Sendable {
    /// One second of audio from each stream, for comparison by the caller. Both streams have the same number
    /// of samples.
    package struct Comparison: Sendable {
        /// Microphone samples in one channel.
        package let microphone: [Float]
        /// Voice signal samples in one channel.
        package let voice: [Float]
        /// Difference between the sample counts at the first samples: the voice signal's count minus the
        /// microphone's count, converted to a time.
        let difference: Nanoseconds
    }

    /// Length of the audio that is compared. One second is enough to identify speech and the noise of most
    /// rooms with certainty (20 standard deviations).
    package static let window = Nanoseconds.seconds(1)
    /// Time between two comparisons. Half of the audio in each comparison is new.
    private static let interval = Nanoseconds.milliseconds(500)
    /// Maximum delay of the voice signal that the comparison searches. Sound servers delay audio by several
    /// blocks of 10 to 43 ms each.
    package static let largestDelay = Nanoseconds.milliseconds(200)
    /// Maximum difference at which the results of two comparisons agree. The limit is a few samples long; a
    /// lost block causes a larger difference.
    private static let agreement = Nanoseconds.microseconds(200)
    /// Scatter of the results for a constant offset when noise suppression is active (about two samples).
    private static let scatter = Nanoseconds.microseconds(50)

    private let rate: Int
    private var microphone: AudioHistory
    private var voice: AudioHistory
    private var lastComparison: ClockTime?
    private var candidate: Nanoseconds?
    /// Difference between the sample counts at which the same audio appears in the voice signal and in the
    /// microphone's audio, converted to a time.
    private var lag: Nanoseconds?

    /// Creates an instance for two streams with `rate` samples per second. The rate must be greater than 0.
    package init(rate: Int) {
        self.rate = rate
        microphone = AudioHistory(rate: rate)
        voice = AudioHistory(rate: rate)
    }

    /// Adds a slice of the microphone's audio.
    package mutating func addMicrophoneAudio(_ audio: CapturedAudio) {
        if !microphone.add(audio) { restartComparison() }
    }

    /// Adds a slice of the voice signal.
    ///
    /// - Returns: The number of the microphone sample that corresponds to the first sample of the slice, and
    ///   its capture time on `CLOCK_MONOTONIC`; `nil` until two comparisons were conclusive. The
    ///   microphone's sample number is returned so that an extra or missing block in the sound server doesn't
    ///   look like a different sample rate.
    package mutating func addVoiceAudio(_ audio: CapturedAudio) -> (sample: Int64, time: ClockTime)? {
        if !voice.add(audio) { restartComparison() }
        guard let lag, let time = microphone.time(of: audio.firstSample) else { return nil }
        let count = (lag.inSeconds * Double(rate)).rounded()
        return (audio.firstSample - Int64(count), time - lag)
    }

    /// Discards the microphone's audio and the offset, because the microphone is unavailable and the voice
    /// signal may now come from another microphone.
    package mutating func discardMicrophoneAudio() {
        restartComparison()
        microphone = AudioHistory(rate: rate)
        lag = nil
    }

    /// Restarts the comparison after a gap. Both sample counts advance during the gap according to the
    /// elapsed time, so the offset remains valid until a new one is found.
    private mutating func restartComparison() {
        candidate = nil
        lastComparison = nil
    }

    /// Returns the last second of both streams if at least half of this audio is new since the last
    /// comparison; otherwise `nil`.
    package mutating func nextComparison() -> Comparison? {
        guard let end = microphone.end, let voiceEnd = voice.end else { return nil }
        let count = Int(Self.window.inSeconds * Double(rate))
        let begin = min(end, voiceEnd) - Self.window
        guard lastComparison.map({ begin - $0 >= Self.interval }) ?? true,
            let one = microphone.window(from: begin, count: count),
            let other = voice.window(from: begin, count: count)
        else { return nil }
        lastComparison = begin
        return Comparison(
            microphone: one.samples, voice: other.samples,
            difference: microphone.duration(of: other.first) - microphone.duration(of: one.first))
    }

    /// Processes the result of a comparison.
    ///
    /// - Parameters:
    ///   - peak: Correlation peak, which indicates the delay of the microphone's audio in the voice signal.
    ///     An uncertain peak or `nil` is ignored.
    ///   - look: The samples that were compared.
    package mutating func applyResult(_ peak: AudioCorrelation.Peak?, of look: Comparison) {
        guard let peak, peak.isCertain else { return }
        let found = peak.offset + look.difference
        let isConfirmed = candidate.map { (found - $0).magnitude <= Self.agreement } ?? false
        candidate = found
        // Differences within the scatter don't change the lag, because the sample counts would otherwise
        // fluctuate.
        guard isConfirmed, lag.map({ (found - $0).magnitude > Self.scatter }) ?? true else { return }
        lag = found
    }
}

/// The last seconds of a microphone's audio, mixed to one channel, with the most recent time stamp.
struct AudioHistory: Sendable {
    private var samples: [Float] = []
    /// The device's sample count before the first element of `samples`.
    private var first: Int64 = 0
    private var latest: (count: Int64, time: ClockTime)?
    private let rate: Int64

    private static let length = VoiceTimestamper.window + VoiceTimestamper.largestDelay

    /// Creates an empty buffer for audio with `rate` samples per second. The rate must be greater than 0.
    init(rate: Int) { self.rate = Int64(rate) }

    /// Adds the next slice of audio.
    ///
    /// - Returns: Whether the slice directly continues the previous audio. If it doesn't, the previous audio
    ///   is discarded.
    mutating func add(_ audio: CapturedAudio) -> Bool {
        let follows = latest == nil || audio.firstSample == first + Int64(samples.count)
        if latest == nil || !follows {
            samples.removeAll(keepingCapacity: true)
            first = audio.firstSample
        }
        latest = (audio.firstSample, audio.capturedAt)
        let channels = audio.format.channels
        if channels == 1 {
            samples += audio.samples
        } else {
            for frame in 0..<audio.frameCount {
                let values = audio.samples[frame * channels..<(frame + 1) * channels]
                samples.append(values.reduce(0, +) / Float(channels))
            }
        }
        // Samples are removed only rarely, because each removal moves all remaining samples.
        let excess = samples.count - Int(Self.length.inSeconds * Double(rate))
        if excess > samples.count / 2 {
            samples.removeFirst(excess)
            first += Int64(excess)
        }
        return follows
    }

    /// Returns the capture time of a past or future sample on `CLOCK_MONOTONIC`, based on the latest time stamp; `nil`
    /// before the first slice.
    func time(of count: Int64) -> ClockTime? {
        latest.map { $0.time + duration(of: count) - duration(of: $0.count) }
    }

    /// Capture time of the end of the buffer on `CLOCK_MONOTONIC`; `nil` before the first slice.
    var end: ClockTime? { time(of: first + Int64(samples.count)) }

    /// Returns the duration of `count` samples.
    func duration(of count: Int64) -> Nanoseconds {
        .duration(of: count, perSecond: rate)
    }

    /// Returns `count` samples that start approximately at the given time, and the device's sample count
    /// before the first of them. Returns `nil` if the buffer doesn't contain all of these samples.
    func window(from begin: ClockTime, count: Int) -> (samples: [Float], first: Int64)? {
        guard let start = time(of: first) else { return nil }
        let index = Int(rounding: (begin - start).inSeconds * Double(rate))
        guard index >= 0, index + count <= samples.count else { return nil }
        return (Array(samples[index..<index + count]), first + Int64(index))
    }
}
