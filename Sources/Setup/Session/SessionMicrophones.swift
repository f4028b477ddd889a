internal import MulticamCapture
internal import MulticamEncoding
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSession
internal import MulticamSynchrony
internal import MulticamVirtualDevices

extension SessionSetup {
    /// Opens the microphones of a plan. A microphone used by several roles is captured only once if all of them use the
    /// same channels.
    static func openMicrophones(
        _ plan: SessionPlan, _ resolver: DeviceResolver
    ) throws(SetupError) -> [String: any MicrophoneSource] {
        struct Capture: Hashable {
            let source: String
            let format: AudioFormat
        }
        func capture(_ planned: PlannedMicrophone) -> Capture? {
            resolver.pulseSources[planned.role].map { Capture(source: $0.name, format: planned.format) }
        }
        let roles = Dictionary(grouping: plan.microphones.compactMap(capture)) { $0 }.mapValues(\.count)
        var shared: [Capture: SharedMicrophone] = [:]
        var microphones: [String: any MicrophoneSource] = [:]
        for planned in plan.microphones {
            guard let capture = capture(planned), let count = roles[capture], count > 1 else {
                microphones[planned.role] = try open(planned, resolver)
                continue
            }
            if shared[capture] == nil {
                shared[capture] = SharedMicrophone(try open(planned, resolver), roleCount: count)
            }
            microphones[planned.role] = shared[capture]?.part
        }
        return microphones
    }

    /// Opens the processed voice signal of a microphone if its role requests echo cancellation or noise suppression.
    ///
    /// - Returns: The processed source, and the name of the output device used as the echo reference; `nil` if no
    ///   processing is requested.
    /// - Throws: `SetupError` if the sound server can't create the processed source.
    static func openVoice(
        of planned: PlannedMicrophone, _ resolver: DeviceResolver
    ) throws(SetupError) -> (voice: any MicrophoneSource, output: String?)? {
        guard let wanted = planned.voiceProcessing, let source = resolver.pulseSources[planned.role] else {
            return nil
        }
        let voice: PulseVoice
        do throws(DeviceError) {
            voice = try PulseVoice(
                of: source, role: planned.role, wanted, sourceChannels: planned.sourceChannels)
        } catch {
            throw .device(error)
        }
        do throws(EncodingError) {
            return (
                try AlignedVoice(
                    voice, of: voice.unprocessedMicrophone, sourceChannels: planned.sourceChannels),
                voice.outputName
            )
        } catch {
            throw .device(
                DeviceError(
                    device: source.selector, operation: "setting up echo cancellation and noise suppression",
                    reason: .other(error.description)))
        }
    }

    static func open(
        _ planned: PlannedMicrophone, _ resolver: DeviceResolver
    ) throws(SetupError) -> any MicrophoneSource {
        if let own = resolver.suppliedSources.microphones[planned.role] { return own }
        if VirtualSources.handles(planned.selector) {
            do throws(VirtualDeviceError) {
                return try VirtualSources.microphone(selector: planned.selector, role: planned.role)
            } catch {
                throw SetupError(error)
            }
        }
        guard let source = resolver.pulseSources[planned.role] else {
            preconditionFailure("no device was found for the planned microphone `\(planned.role)`")
        }
        do throws(DeviceError) {
            return try PulseMicrophone(source: source, channels: planned.format.channels)
        } catch {
            throw .device(error)
        }
    }
}

/// Captures one microphone once for several roles, so that all roles get the same samples, timestamps, and losses. Each
/// role gets a separate source object.
final class SharedMicrophone: Sendable {
    private let source: any MicrophoneSource
    private let roleCount: Int
    private let receivers = ConditionLock<[@Sendable (MicrophoneEvent) -> Void]>([])

    /// Shares a microphone between several roles.
    ///
    /// - Parameters:
    ///   - source: The microphone, opened but not started.
    ///   - roleCount: Number of roles that will start the microphone. Capture begins when the last role has started it,
    ///     so all roles get the same samples.
    init(_ source: any MicrophoneSource, roleCount: Int) {
        self.source = source
        self.roleCount = roleCount
    }

    /// A source object for one role.
    var part: any MicrophoneSource { Part(whole: self) }

    private struct Part: DetailedMicrophoneSource {
        let whole: SharedMicrophone

        var device: CaptureDevice { whole.source.device }
        var format: AudioFormat { whole.source.format }
        var deliveryDelay: Nanoseconds { whole.source.deliveryDelay }
        var stampCorrelation: Nanoseconds { whole.source.stampCorrelation }
        var settlingTime: Nanoseconds { whole.source.settlingTime }

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
        ) throws(DeviceError) {
            try whole.start(on: clock, delivering: receive)
        }

        func setRecordingStart(_ start: ClockTime) { whole.source.setRecordingStart(start) }

        /// Stops the capture for all roles, because all roles of a session end together.
        func stop() { whole.source.stop() }
    }

    private func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let receivers = receivers.withLock { receivers in
            receivers.append(receive)
            return receivers
        }
        guard receivers.count == roleCount else { return }
        try source.start(on: clock) { event in
            for receiver in receivers { receiver(event) }
        }
    }
}

/// The processed voice signal of a microphone, with timestamps derived from the raw microphone, which is
/// captured in parallel (`VoiceTimestamper`).
///
/// No audio is delivered until the processed signal is correlated with the raw microphone or three seconds have passed.
/// After three seconds, the processed signal's own timestamps are used until a match is found. When the microphone is
/// disconnected, the processed signal stops too. The signal resumes only after a new match, because the sound server
/// may use a different microphone in the meantime.
final class AlignedVoice: DetailedMicrophoneSource {
    fileprivate struct State {
        var dating: VoiceTimestamper
        /// Number of processed samples received.
        var count: Int64 = 0
        /// Whether the microphone was disconnected and no new match has been found since.
        var isLost = false
        /// Whether the last delivery used the sample count and timestamps of the processed signal itself.
        var usesOwnTimestamps = false
        /// Sample count after the last delivery.
        var end: Int64?
        /// The next pair of blocks to compare.
        var nextComparison: VoiceTimestamper.Comparison?
        var isComparing = false
        var isStopped = false
    }

    private let voice: any MicrophoneSource
    private let rawMicrophone: any MicrophoneSource
    /// The channels of the raw microphone that the processed signal is created from, counted from 0. An empty
    /// array means all channels.
    private let sourceChannels: [Int]
    private let state: ConditionLock<State>
    /// The correlation, used only by the thread that compares the signals.
    private let correlation: ConditionLock<AudioCorrelation>
    private let worker = ConditionLock<MediaThread?>(nil)

    /// Maximum amount of processed audio that is discarded, in seconds. Two comparisons take 1.5 s, and the server may
    /// take one more second to start.
    private static let maxDiscardedDuration = 3.0

    /// Combines a processed voice signal with its raw microphone.
    ///
    /// - Parameters:
    ///   - voice: The processed source, opened but not started.
    ///   - heard: The raw microphone at the sample rate of `voice`, not started.
    ///   - sourceChannels: The channels of the raw microphone that the processed signal is created from, counted from
    ///     0. An empty array means all channels.
    /// - Throws: `EncodingError` if memory allocation fails.
    init(
        _ voice: any MicrophoneSource, of heard: any MicrophoneSource, sourceChannels: [Int] = []
    ) throws(EncodingError) {
        precondition(
            voice.format.rate == heard.format.rate,
            "the processed and the raw audio must have the same sample rate")
        self.voice = voice
        self.rawMicrophone = heard
        self.sourceChannels = sourceChannels.filter { $0 < heard.format.channels }
        state = ConditionLock(State(dating: VoiceTimestamper(rate: voice.format.rate)))
        correlation = ConditionLock(
            try AudioCorrelation(
                rate: Double(voice.format.rate), largestOffset: VoiceTimestamper.largestDelay,
                piece: VoiceTimestamper.window))
    }

    deinit { stop() }

    var device: CaptureDevice { voice.device }
    var format: AudioFormat { voice.format }
    var deliveryDelay: Nanoseconds { voice.deliveryDelay }
    var stampCorrelation: Nanoseconds { rawMicrophone.stampCorrelation }
    var settlingTime: Nanoseconds { .seconds(rounding: Self.maxDiscardedDuration) }
    var simulationTime: Nanoseconds { voice.simulationTime + rawMicrophone.simulationTime }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let (state, sourceChannels) = (state, sourceChannels)
        // This lock ensures that both threads deliver their events in the order in which they processed them.
        let turn = ConditionLock(())
        startComparisonThread()
        try rawMicrophone.start(on: clock) { event in
            switch event {
            case .audio(let audio):
                state.broadcast { state in
                    state.dating.addMicrophoneAudio(Self.selected(sourceChannels, of: audio))
                    state.nextComparison = state.dating.nextComparison() ?? state.nextComparison
                }
            case .outageBegan(let time, let cause), .ended(let time, let cause):
                turn.withLock { _ in
                    state.withLock { state in
                        state.dating.discardMicrophoneAudio()
                        state.nextComparison = nil
                        state.isLost = true
                    }
                    receive(.outageBegan(at: time, cause: cause))
                }
            case .lost, .outageEnded, .notice: break
            }
        }
        let patience = Int64(Self.maxDiscardedDuration * Double(format.rate))
        try voice.start(on: clock) { event in
            turn.withLock { _ in
                let (forwarded, isRestored) = state.withLock { state in
                    state.handle(event, sampleLimit: patience)
                }
                if case .audio(let audio) = forwarded, isRestored {
                    receive(.outageEnded(at: audio.capturedAt))
                }
                if let forwarded { receive(forwarded) }
            }
        }
    }

    func setRecordingStart(_ start: ClockTime) { voice.setRecordingStart(start) }

    func stop() {
        rawMicrophone.stop()
        voice.stop()
        state.broadcast { $0.isStopped = true }
        let last = worker.withLock { worker in
            defer { worker = nil }
            return worker
        }
        last?.join()
    }

    /// Waits until all audio delivered up to now has been compared. This takes milliseconds.
    func waitUntilCompared() {
        state.wait { $0.nextComparison == nil && !$0.isComparing ? () : nil }
    }

    /// Starts a separate thread for the comparison, because it takes milliseconds and would delay the capture threads.
    private func startComparisonThread() {
        let (state, correlation) = (state, correlation)
        let thread = MediaThread.startWhenPossible(name: "voice") {
            func nextBrightness() -> VoiceTimestamper.Comparison? {
                state.wait { state -> VoiceTimestamper.Comparison?? in
                    if state.isStopped { return .some(nil) }
                    defer { state.nextComparison = nil }
                    state.isComparing = state.nextComparison != nil
                    return state.nextComparison.map { .some($0) }
                }
            }
            while let look = nextBrightness() {
                let peak = correlation.withLock { $0.peak(of: look.microphone, and: look.voice) }
                state.broadcast { state in
                    state.dating.applyResult(peak, of: look)
                    state.isComparing = false
                }
            }
        }
        worker.withLock { $0 = thread }
    }

    /// Returns the audio slice reduced to the selected channels.
    private static func selected(_ sourceChannels: [Int], of audio: CapturedAudio) -> CapturedAudio {
        guard !sourceChannels.isEmpty else { return audio }
        return CapturedAudio(
            format: AudioFormat(rate: audio.format.rate, channels: sourceChannels.count),
            capturedAt: audio.capturedAt,
            firstSample: audio.firstSample, samples: audio.samples(of: sourceChannels))
    }
}

extension AlignedVoice.State {
    /// Handles an event from the processed source.
    ///
    /// - Parameters:
    ///   - event: The event received from the source.
    ///   - sampleLimit: Number of samples after which the source's own timestamps are used.
    /// - Returns: The event to deliver, if any, and whether the voice signal resumes with this event.
    fileprivate mutating func handle(
        _ event: MicrophoneEvent, sampleLimit: Int64
    ) -> (forwarded: MicrophoneEvent?, isRestored: Bool) {
        guard case .audio(let audio) = event else {
            if case .outageEnded = event, isLost { return (nil, false) }
            return (event, false)
        }
        count += Int64(audio.frameCount)
        let known = dating.addVoiceAudio(audio)
        guard known != nil || (count > sampleLimit && !isLost) else { return (nil, false) }
        // When the source of the sample counts changes, the receiver sees a discontinuity.
        let isRestored = isLost || (known != nil && usesOwnTimestamps)
        isLost = false
        usesOwnTimestamps = known == nil
        let first = known?.sample ?? audio.firstSample
        // A late match can place samples before the end of the last delivery. Those samples have already been delivered
        // with slightly wrong timestamps.
        let excess = isRestored ? 0 : max((end ?? first) - first, 0)
        guard excess < audio.frameCount else { return (nil, false) }
        end = first + Int64(audio.frameCount)
        let time = known?.time ?? audio.capturedAt
        return (
            .audio(
                CapturedAudio(
                    format: audio.format,
                    capturedAt: time + .seconds(rounding: Double(excess) / Double(audio.format.rate)),
                    firstSample: first + excess,
                    samples: Array(audio.samples.dropFirst(Int(excess) * audio.format.channels)))), isRestored
        )
    }
}
