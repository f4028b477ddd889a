internal import Encoding
internal import Media
internal import Synchrony

/// A microphone's processed voice, dated by the time stamps of the raw microphone, which is captured beside it (`VoiceDating`).
///
/// Nothing is delivered until the voice is matched with the microphone, for at most three seconds; after that the voice's own
/// time stamps serve until a match is found. When the microphone goes away, the voice goes too, and it returns only once it
/// matches again: meanwhile a sound server may make the voice from any other microphone.
final class AlignedVoice: MicrophoneSource {
    fileprivate struct State {
        var dating: VoiceDating
        /// Number of voice samples received.
        var count: Int64 = 0
        /// Whether the microphone went away and no voice was matched since.
        var isLost = false
        /// Whether the last delivery was counted and dated by the voice's own stamps.
        var countsItself = false
        /// The sample count after the last delivery.
        var end: Int64?
        /// The next pair of blocks to compare.
        var look: VoiceDating.Look?
        var isComparing = false
        var isOver = false
    }

    private let voice: any MicrophoneSource
    private let heard: any MicrophoneSource
    /// The channels of the raw microphone that the voice is made of, from 0; all when empty.
    private let pick: [Int]
    private let state: ConditionLock<State>
    /// Used by the comparing thread alone.
    private let correlation: ConditionLock<AudioCorrelation>
    private let worker = ConditionLock<MediaThread?>(nil)

    /// How many seconds of the voice may be discarded: two comparisons take 1.5 s, and the server's start may cost one more.
    private static let patience = 3.0

    /// Combines a voice with its raw microphone.
    ///
    /// - Parameters:
    ///   - voice: The processed source, opened, not started.
    ///   - heard: The raw microphone at the voice's sample rate, not started.
    ///   - pick: The raw microphone's channels that the voice is made of, from 0; all when empty.
    /// - Throws: `EncodingError` when memory is short.
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
        // The lock makes both threads deliver in the order of their decisions.
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

    /// Waits until the audio delivered so far is compared, which takes milliseconds.
    func waitUntilCompared() {
        state.wait { $0.look == nil && !$0.isComparing ? () : nil }
    }

    /// Compares on a thread of its own, because the delivering threads cannot spare milliseconds.
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

    /// The audio slice reduced to the picked channels.
    private static func picked(_ pick: [Int], of audio: CapturedAudio) -> CapturedAudio {
        guard !pick.isEmpty else { return audio }
        return CapturedAudio(
            format: AudioFormat(rate: audio.format.rate, channels: pick.count), capturedAt: audio.capturedAt,
            firstSample: audio.firstSample, samples: audio.samples(of: pick))
    }
}

extension AlignedVoice.State {
    /// Processes an event of the voice.
    ///
    /// - Parameters:
    ///   - event: The event from the voice's source.
    ///   - patience: The number of samples after which the voice's own stamps are used.
    /// - Returns: The event to deliver, if any, and whether the voice returns with it.
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
        // A change of counting is a new beginning for the receiver.
        let isAnew = isLost || (known != nil && countsItself)
        isLost = false
        countsItself = known == nil
        let first = known?.sample ?? audio.firstSample
        // Samples that a late match places before the end of the last delivery were delivered already, slightly misdated.
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
