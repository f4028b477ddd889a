public import Media

/// Determines capture times for the voice signal that a sound server derives from a microphone by comparing
/// it with the microphone's own audio.
///
/// Sound servers report the delay of their modules in different ways, and the reported delay changes for several
/// seconds after the start. However, both streams run on one clock, and the voice stays in phase with the microphone's
/// audio. Correlation finds the corresponding samples. The result is valid until the server loses a block, which
/// typically happens in its first second or two. An offset is accepted if two consecutive correlations find it with
/// certainty. Silence and tones provide no information.
///
/// This value type chooses the samples to compare, and evaluates the results. The caller performs the comparison
/// (`AudioCorrelation`), because it takes milliseconds.
public struct VoiceDating: Sendable {
    /// One second of both streams that the caller compares. The streams have the same number of samples.
    public struct Look: Sendable {
        /// Samples of the microphone in one channel.
        public let heard: [Float]
        /// Samples of the voice signal in one channel.
        public let voice: [Float]
        /// Sample count of the voice's first sample minus that of the microphone's first sample, as a time.
        let difference: Nanoseconds
    }

    /// Length of a comparison. One second is enough to identify speech and the noise of most rooms with certainty (20
    /// standard deviations).
    public static let window = Nanoseconds.seconds(1)
    /// Time between two comparisons. Half of the audio in each comparison is new.
    private static let interval = Nanoseconds.milliseconds(500)
    /// Maximum delay of the voice that is searched. Sound servers delay audio by several blocks of 10 to 43 ms.
    public static let largestDelay = Nanoseconds.milliseconds(200)
    /// Maximum difference between two comparisons that agree. This difference is a few samples; a lost block causes a
    /// larger one.
    private static let agreement = Nanoseconds.microseconds(200)
    /// Scatter between comparisons of the same offset when noise suppression is active (two samples).
    private static let scatter = Nanoseconds.microseconds(50)

    private let rate: Int
    private var heard: HeardAudio
    private var voice: HeardAudio
    private var lastLook: ClockTime?
    private var candidate: Nanoseconds?
    /// Difference between the sample counts of the same audio in the voice and in the microphone, as a time.
    private var lag: Nanoseconds?

    /// Creates an instance for two streams with `rate` samples per second, which must be greater than 0.
    public init(rate: Int) {
        self.rate = rate
        heard = HeardAudio(rate: rate)
        voice = HeardAudio(rate: rate)
    }

    /// Adds a slice of the microphone's audio.
    public mutating func addHeard(_ audio: CapturedAudio) {
        if !heard.add(audio) { compareAnew() }
    }

    /// Adds a slice of the voice signal.
    ///
    /// - Returns: The microphone's sample that corresponds to the first sample of the slice, and its capture time on
    ///   `CLOCK_MONOTONIC`; `nil` until two comparisons have been certain. Returning the microphone's sample ensures
    ///   that an extra or missing block in the server doesn't look like a different rate.
    public mutating func addVoice(_ audio: CapturedAudio) -> (sample: Int64, time: ClockTime)? {
        if !voice.add(audio) { compareAnew() }
        guard let lag, let time = heard.time(of: audio.firstSample) else { return nil }
        let count = (lag.inSeconds * Double(rate)).rounded()
        return (audio.firstSample - Int64(count), time - lag)
    }

    /// Discards the microphone's audio and the offset, because the microphone is unavailable and the voice may now come
    /// from another one.
    public mutating func loseHeard() {
        compareAnew()
        heard = HeardAudio(rate: rate)
        lag = nil
    }

    /// Restarts the comparison after a gap. The counts of both streams continue across the gap according to the elapsed
    /// time, so the offset remains valid until another one is found.
    private mutating func compareAnew() {
        candidate = nil
        lastLook = nil
    }

    /// Returns the last second of both streams if half of it is new since the last comparison; otherwise `nil`.
    public mutating func nextBrightness() -> Look? {
        guard let end = heard.end, let voiceEnd = voice.end else { return nil }
        let count = Int(Self.window.inSeconds * Double(rate))
        let begin = min(end, voiceEnd) - Self.window
        guard lastLook.map({ begin - $0 >= Self.interval }) ?? true,
            let one = heard.window(from: begin, count: count),
            let other = voice.window(from: begin, count: count)
        else { return nil }
        lastLook = begin
        return Look(
            heard: one.samples, voice: other.samples,
            difference: heard.duration(of: other.first) - heard.duration(of: one.first))
    }

    /// Processes the result of a comparison.
    ///
    /// - Parameters:
    ///   - peak: Delay of the microphone's audio in the voice. An uncertain peak or `nil` is ignored.
    ///   - look: The samples that were compared.
    public mutating func take(_ peak: AudioCorrelation.Peak?, of look: Look) {
        guard let peak, peak.isCertain else { return }
        let found = peak.offset + look.difference
        let isConfirmed = candidate.map { (found - $0).magnitude <= Self.agreement } ?? false
        candidate = found
        // Small scatter doesn't change the lag, because the counts would otherwise fluctuate.
        guard isConfirmed, lag.map({ (found - $0).magnitude > Self.scatter }) ?? true else { return }
        lag = found
    }
}

/// The last seconds of a microphone's audio, as the mean of its channels, with the most recent time stamp.
struct HeardAudio: Sendable {
    private var samples: [Float] = []
    /// The device's sample count before the first element of `samples`.
    private var first: Int64 = 0
    private var latest: (count: Int64, time: ClockTime)?
    private let rate: Int64

    private static let length = VoiceDating.window + VoiceDating.largestDelay

    /// Creates an empty buffer for `rate` samples per second, which must be greater than 0.
    init(rate: Int) { self.rate = Int64(rate) }

    /// Adds the next slice of audio.
    ///
    /// - Returns: Whether the slice continues the previous audio. If the slice doesn't continue it, the previous audio
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
        // Removal moves all remaining samples, so it is done only rarely.
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

    /// Duration of `count` samples.
    func duration(of count: Int64) -> Nanoseconds {
        .duration(of: count, perSecond: rate)
    }

    /// Returns `count` samples starting approximately at the given time, and the device's sample count before them.
    /// Returns `nil` if the buffer doesn't contain all of these samples.
    func window(from begin: ClockTime, count: Int) -> (samples: [Float], first: Int64)? {
        guard let start = time(of: first) else { return nil }
        let index = Int(rounding: (begin - start).inSeconds * Double(rate))
        guard index >= 0, index + count <= samples.count else { return nil }
        return (Array(samples[index..<index + count]), first + Int64(index))
    }
}
