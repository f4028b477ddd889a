internal import Encoding
internal import Media
internal import Synchrony

/// A microphone's voice, dated by the microphone itself, which is listened to beside it (`VoiceDating`).
///
/// Before it is known which sample is which nothing is delivered, but for three seconds at most: in silence what the voice's own
/// stamps say has to do, until something is heard.
final class AlignedVoice: MicrophoneSource {
    private struct State {
        var dating: VoiceDating
        /// Samples of the voice that came.
        var count: Int64 = 0
    }

    private let voice: any MicrophoneSource
    private let heard: any MicrophoneSource
    private let state: Monitor<State>
    /// Used on the heard one's thread, for which nobody waits.
    private let correlation: Monitor<SoundCorrelation>

    /// So many seconds of the voice may pass unused: two looks take one and a half, and what the server does at first may cost one
    /// more.
    private static let patience = 3.0

    /// - Parameters:
    ///   - voice: Opened, not started.
    ///   - heard: What the server makes the voice of, as another source with the voice's rate, not started.
    /// - Throws: When memory is short.
    init(_ voice: any MicrophoneSource, of heard: any MicrophoneSource) throws(EncodingError) {
        precondition(voice.format.rate == heard.format.rate, "both are compared sample by sample")
        self.voice = voice
        self.heard = heard
        state = Monitor(State(dating: VoiceDating(rate: voice.format.rate)))
        correlation = Monitor(
            try SoundCorrelation(
                rate: Double(voice.format.rate), largestOffset: VoiceDating.largestDelay,
                piece: VoiceDating.window))
    }

    var device: CaptureDevice { voice.device }
    var format: SoundFormat { voice.format }
    var deliveryDelay: Nanoseconds { voice.deliveryDelay }
    var stampCorrelation: Nanoseconds { heard.stampCorrelation }
    var settlingTime: Nanoseconds { .seconds(rounding: Self.patience) }
    var simulationTime: Nanoseconds { voice.simulationTime + heard.simulationTime }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let (state, correlation) = (state, correlation)
        let patience = Int64(Self.patience * Double(format.rate))
        try heard.start(on: clock) { event in
            guard case .sound(let sound) = event else { return }
            let look = state.withLock { state in
                state.dating.addHeard(sound)
                return state.dating.nextLook()
            }
            guard let look else { return }
            let peak = correlation.withLock { $0.peak(of: look.heard, and: look.voice) }
            state.withLock { $0.dating.take(peak, of: look) }
        }
        try voice.start(on: clock) { event in
            guard case .sound(let sound) = event else { return receive(event) }
            let time = state.withLock { state -> ClockTime? in
                state.count += Int64(sound.frameCount)
                return state.dating.addVoice(sound) ?? (state.count > patience ? sound.capturedAt : nil)
            }
            guard let time else { return }
            receive(
                .sound(
                    CapturedSound(
                        format: sound.format, capturedAt: time, firstSample: sound.firstSample,
                        samples: sound.samples)))
        }
    }

    func recordingBegins(at start: ClockTime) { voice.recordingBegins(at: start) }

    func stop() {
        heard.stop()
        voice.stop()
    }
}
