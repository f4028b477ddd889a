public import Media

/// Dates the voice that a sound server makes of a microphone, by comparing it with the audio of the microphone itself.
///
/// Servers count differently what their modules hold back, and what they report of it changes for seconds after the start. But
/// both streams run on one clock, and the voice stays in phase with the microphone's audio. Correlation finds which samples
/// correspond, and that holds until the server loses a block, as it does in its first second or two. An offset counts when
/// correlation is certain of it twice in a row. Silence and tones tell nothing.
///
/// It is a value that chooses what to compare and decides. The caller compares (`AudioCorrelation`), since that takes
/// milliseconds.
public struct VoiceDating: Sendable {
    /// One second of both streams to be compared, with the same number of samples.
    public struct Look: Sendable {
        /// Samples of the microphone, one channel.
        public let heard: [Float]
        /// Samples of the voice, one channel.
        public let voice: [Float]
        /// How far the sample count of the voice's first sample is above that of the microphone's, as a time.
        let difference: Nanoseconds
    }

    /// Length of a comparison. A second identifies speech and the noise of most rooms for certain (20 standard deviations).
    public static let window = Nanoseconds.seconds(1)
    /// Time between two comparisons: half of the audio in each is new.
    private static let interval = Nanoseconds.milliseconds(500)
    /// Largest delay of the voice that is looked for: servers hold back some blocks of 10 to 43 ms.
    public static let largestDelay = Nanoseconds.milliseconds(200)
    /// Largest difference of two comparisons that agree, a few samples; a lost block is larger.
    private static let agreement = Nanoseconds.microseconds(200)
    /// Difference by which comparisons of the same offset scatter where noise is suppressed: two samples.
    private static let scatter = Nanoseconds.microseconds(50)

    private let rate: Int
    private var heard: HeardAudio
    private var voice: HeardAudio
    private var lastLook: ClockTime?
    private var candidate: Nanoseconds?
    /// How far the voice's sample counts are above those of the same audio in the microphone, as a time.
    private var lag: Nanoseconds?

    /// Creates a dating for two streams with `rate` samples per second, above 0.
    public init(rate: Int) {
        self.rate = rate
        heard = HeardAudio(rate: rate)
        voice = HeardAudio(rate: rate)
    }

    /// Takes a slice of the microphone's audio.
    public mutating func addHeard(_ audio: CapturedAudio) {
        if !heard.add(audio) { compareAnew() }
    }

    /// Takes a slice of the voice.
    ///
    /// - Returns: The microphone's sample that corresponds to the first sample of the slice, and its capture time on
    ///   `CLOCK_MONOTONIC`, so that a block more or less in the server does not look like another rate; `nil` until a comparison
    ///   was certain twice.
    public mutating func addVoice(_ audio: CapturedAudio) -> (sample: Int64, time: ClockTime)? {
        if !voice.add(audio) { compareAnew() }
        guard let lag, let time = heard.time(of: audio.firstSample) else { return nil }
        let count = (lag.inSeconds * Double(rate)).rounded()
        return (audio.firstSample - Int64(count), time - lag)
    }

    /// Forgets the microphone and the offset: the microphone is away, and the voice may come from another one from now on.
    public mutating func loseHeard() {
        compareAnew()
        heard = HeardAudio(rate: rate)
        lag = nil
    }

    /// Begins comparing anew after a hole. Both counts continue by time over it, so the offset holds until another one is found.
    private mutating func compareAnew() {
        candidate = nil
        lastLook = nil
    }

    /// Returns the last second of both streams when half of it is new since the comparison before; otherwise `nil`.
    public mutating func nextLook() -> Look? {
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

    /// Takes the result of a comparison.
    ///
    /// - Parameters:
    ///   - peak: How much later the voice contains the microphone's audio; an uncertain peak or `nil` has no effect.
    ///   - look: The samples that were compared.
    public mutating func take(_ peak: AudioCorrelation.Peak?, of look: Look) {
        guard let peak, peak.isCertain else { return }
        let found = peak.offset + look.difference
        let isConfirmed = candidate.map { (found - $0).magnitude <= Self.agreement } ?? false
        candidate = found
        // Scatter does not change the lag: counts would go to and fro.
        guard isConfirmed, lag.map({ (found - $0).magnitude > Self.scatter }) ?? true else { return }
        lag = found
    }
}
