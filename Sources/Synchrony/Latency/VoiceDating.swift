public import Media

/// Dates a microphone's voice, as a sound server makes it, by the microphone itself, which is listened to beside it.
///
/// Servers count differently what their modules keep, and what they say of it moves for seconds after the start. But both sounds
/// have one clock, and what is left of a voice is in phase with what came in: correlation finds which sample of one is which of the
/// other, and that holds until the server loses a block, as it does in its first second or two. What correlation finds for certain
/// twice in a row counts. Silence and tones tell nothing.
///
/// A value: it chooses what to compare and decides; comparing is left to the caller (`AudioCorrelation`), as it takes milliseconds.
public struct VoiceDating: Sendable {
    /// What to compare: a second of both, as many samples each.
    public struct Look: Sendable {
        public let heard: [Float]
        public let voice: [Float]
        /// By how much the count of the voice's first sample is above that of the microphone's.
        let difference: Nanoseconds
    }

    /// A second tells speech and most rooms' noise for certain (20 standard deviations); half of it is new at each look.
    public static let window = Nanoseconds.seconds(1)
    private static let interval = Nanoseconds.milliseconds(500)
    /// What is looked for: servers keep some blocks of 10 to 43 ms.
    public static let largestDelay = Nanoseconds.milliseconds(200)
    /// Looks agree within a few samples. What servers lose is larger.
    private static let agreement = Nanoseconds.microseconds(200)
    /// By so much looks at the same scatter, where noise is suppressed: two samples.
    private static let scatter = Nanoseconds.microseconds(50)

    private let rate: Int
    private var heard: HeardAudio
    private var voice: HeardAudio
    private var lastLook: ClockTime?
    private var candidate: Nanoseconds?
    /// By how much the voice's counts are above those of the same audio in the microphone, as a time.
    private var lag: Nanoseconds?

    /// - Parameter rate: Samples per second of both, above 0.
    public init(rate: Int) {
        self.rate = rate
        heard = HeardAudio(rate: rate)
        voice = HeardAudio(rate: rate)
    }

    /// Takes a slice of what the server hears.
    public mutating func addHeard(_ audio: CapturedAudio) {
        if !heard.add(audio) { compareAnew() }
    }

    /// Takes a slice of what it makes of it.
    ///
    /// - Returns: Which of the microphone's samples its first one is, and when that was captured, so that no block more or less in the
    ///   server looks like another rate; `nil` as long as nothing was heard that tells.
    public mutating func addVoice(_ audio: CapturedAudio) -> (sample: Int64, time: ClockTime)? {
        if !voice.add(audio) { compareAnew() }
        guard let lag, let time = heard.time(of: audio.firstSample) else { return nil }
        let count = (lag.inSeconds * Double(rate)).rounded()
        return (audio.firstSample - Int64(count), time - lag)
    }

    /// The microphone is away: what is made of it from now on may be of another.
    public mutating func loseHeard() {
        compareAnew()
        heard = HeardAudio(rate: rate)
        lag = nil
    }

    /// After a hole. Both counts go on by time over it, so that what was found still holds until something else is.
    private mutating func compareAnew() {
        candidate = nil
        lastLook = nil
    }

    /// The latest second, when it is time to compare: once half of it is new.
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

    /// Takes what a look has shown.
    ///
    /// - Parameters:
    ///   - peak: How much later `voice` has what `heard` has; one that is not certain tells nothing.
    ///   - look: What was compared.
    public mutating func take(_ peak: AudioCorrelation.Peak?, of look: Look) {
        guard let peak, peak.isCertain else { return }
        let found = peak.offset + look.difference
        let isConfirmed = candidate.map { (found - $0).magnitude <= Self.agreement } ?? false
        candidate = found
        // What only scatters does not move it: counts would go to and fro.
        guard isConfirmed, lag.map({ (found - $0).magnitude > Self.scatter }) ?? true else { return }
        lag = found
    }
}
