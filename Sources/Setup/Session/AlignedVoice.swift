internal import Encoding
internal import Media
internal import Synchrony

/// A microphone's voice, dated by the microphone itself, which is listened to beside it (`VoiceDating`).
///
/// Before it is known which sample is which nothing is delivered, but for three seconds at most: in silence what the voice's own
/// stamps say has to do, until something is heard. While the microphone is away, so is its voice, and it comes back when it was heard
/// in it: a sound server makes a voice of any microphone then.
final class AlignedVoice: MicrophoneSource {
    fileprivate struct State {
        var dating: VoiceDating
        /// Samples of the voice that came.
        var count: Int64 = 0
        /// Whether the microphone was away and nothing of it was heard since.
        var isLost = false
        /// Whether what was delivered last was counted and dated by the voice itself.
        var countsItself = false
        /// The count after what was delivered last.
        var end: Int64?
        /// What is to be compared next, and whether something is being compared.
        var look: VoiceDating.Look?
        var isComparing = false
        var isOver = false
    }

    private let voice: any MicrophoneSource
    private let heard: any MicrophoneSource
    /// Of the heard one's channels, from 0, those that the voice is made of; all when empty.
    private let pick: [Int]
    private let state: ConditionLock<State>
    /// The comparing thread's alone.
    private let correlation: ConditionLock<AudioCorrelation>
    private let worker = ConditionLock<MediaThread?>(nil)

    /// So many seconds of the voice may pass unused: two looks take one and a half, and what the server does at first may cost one
    /// more.
    private static let patience = 3.0

    /// - Parameters:
    ///   - voice: Opened, not started.
    ///   - heard: The microphone as another source with the voice's rate, not started.
    ///   - pick: Which of its channels the voice is made of, from 0; all when empty.
    /// - Throws: When memory is short.
    init(
        _ voice: any MicrophoneSource, of heard: any MicrophoneSource, pick: [Int] = []
    ) throws(EncodingError) {
        precondition(voice.format.rate == heard.format.rate, "both are compared sample by sample")
        self.voice = voice
        self.heard = heard
        self.pick = pick.filter { $0 < heard.format.channels }
        state = ConditionLock(State(dating: VoiceDating(rate: voice.format.rate)))
        correlation = ConditionLock(
            try AudioCorrelation(
                rate: Double(voice.format.rate), largestOffset: VoiceDating.largestDelay,
                piece: VoiceDating.window))
    }

    deinit { stop() }

    var device: CaptureDevice { voice.device }
    var format: AudioFormat { voice.format }
    var deliveryDelay: Nanoseconds { voice.deliveryDelay }
    var stampCorrelation: Nanoseconds { heard.stampCorrelation }
    var settlingTime: Nanoseconds { .seconds(rounding: Self.patience) }
    var simulationTime: Nanoseconds { voice.simulationTime + heard.simulationTime }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let (state, pick) = (state, pick)
        // What both threads tell is told in the order in which it was decided.
        let turn = ConditionLock(())
        beginComparing()
        try heard.start(on: clock) { event in
            switch event {
            case .audio(let audio):
                state.broadcast { state in
                    state.dating.addHeard(Self.picked(pick, of: audio))
                    state.look = state.dating.nextLook() ?? state.look
                }
            case .away(let time, let cause), .ended(let time, let cause):
                turn.withLock { _ in
                    state.withLock { state in
                        state.dating.loseHeard()
                        state.look = nil
                        state.isLost = true
                    }
                    receive(.away(at: time, cause: cause))
                }
            case .lost, .returned: break
            }
        }
        let patience = Int64(Self.patience * Double(format.rate))
        try voice.start(on: clock) { event in
            turn.withLock { _ in
                let (told, isAnew) = state.withLock { state in state.take(event, patience: patience) }
                if case .audio(let audio) = told, isAnew { receive(.returned(at: audio.capturedAt)) }
                if let told { receive(told) }
            }
        }
    }

    func recordingBegins(at start: ClockTime) { voice.recordingBegins(at: start) }

    func stop() {
        heard.stop()
        voice.stop()
        state.broadcast { $0.isOver = true }
        let last = worker.withLock { worker in
            defer { worker = nil }
            return worker
        }
        last?.join()
    }

    /// Waits until what was delivered so far is compared, which is soon.
    func waitUntilCompared() {
        state.wait { $0.look == nil && !$0.isComparing ? () : nil }
    }

    /// Compares on a thread of its own: those that deliver have no milliseconds to spare.
    private func beginComparing() {
        let (state, correlation) = (state, correlation)
        let thread = MediaThread(name: "voice") {
            func nextLook() -> VoiceDating.Look? {
                state.wait { state -> VoiceDating.Look?? in
                    if state.isOver { return .some(nil) }
                    defer { state.look = nil }
                    state.isComparing = state.look != nil
                    return state.look.map { .some($0) }
                }
            }
            while let look = nextLook() {
                let peak = correlation.withLock { $0.peak(of: look.heard, and: look.voice) }
                state.broadcast { state in
                    state.dating.take(peak, of: look)
                    state.isComparing = false
                }
            }
        }
        worker.withLock { $0 = thread }
    }

    /// The slice with nothing but the picked channels.
    private static func picked(_ pick: [Int], of audio: CapturedAudio) -> CapturedAudio {
        guard !pick.isEmpty else { return audio }
        return CapturedAudio(
            format: AudioFormat(rate: audio.format.rate, channels: pick.count), capturedAt: audio.capturedAt,
            firstSample: audio.firstSample, samples: audio.samples(of: pick))
    }
}

extension AlignedVoice.State {
    /// Takes what the voice tells.
    ///
    /// - Parameters:
    ///   - event: From the voice's source.
    ///   - patience: After how many samples its own stamps have to do.
    /// - Returns: What is to be told of it, if anything, and whether the voice begins anew with that.
    fileprivate mutating func take(
        _ event: MicrophoneEvent, patience: Int64
    ) -> (told: MicrophoneEvent?, isAnew: Bool) {
        guard case .audio(let audio) = event else {
            if case .returned = event, isLost { return (nil, false) }
            return (event, false)
        }
        count += Int64(audio.frameCount)
        let known = dating.addVoice(audio)
        guard known != nil || (count > patience && !isLost) else { return (nil, false) }
        // One that is counted otherwise from here on begins anew for whoever listens.
        let isAnew = isLost || (known != nil && countsItself)
        isLost = false
        countsItself = known == nil
        let first = known?.sample ?? audio.firstSample
        // What a block that was found late puts before that was delivered already, a little wrong.
        let excess = isAnew ? 0 : max((end ?? first) - first, 0)
        guard excess < audio.frameCount else { return (nil, false) }
        end = first + Int64(audio.frameCount)
        let time = known?.time ?? audio.capturedAt
        return (
            .audio(
                CapturedAudio(
                    format: audio.format,
                    capturedAt: time + .seconds(rounding: Double(excess) / Double(audio.format.rate)),
                    firstSample: first + excess,
                    samples: Array(audio.samples.dropFirst(Int(excess) * audio.format.channels)))), isAnew
        )
    }
}
