import MulticamMedia

/// A microphone that fails to start, or delivers wrong events once or permanently.
final class FaultyMicrophone: DetailedMicrophoneSource {
    static let events =
        ["nothing", "twice", "late", "swapped", "noChannels", "manyChannels"] + InvalidValues.audioBlocks
        + InvalidValues.times
        + InvalidValues.counts + InvalidValues.numbers.map { "lost-\($0)" }
        + ["away", "awayBack", "returned", "ended", "endedOn", "babble"]

    private struct State {
        var hasBegun = false
        var delayedEvents: [MicrophoneEvent] = []
        var releasedIn = 0
    }

    private let microphone: any MicrophoneSource
    private let role: String
    private let plan: FaultPlan
    private let state = ConditionLock(State())

    init(_ microphone: any MicrophoneSource, role: String, plan: FaultPlan) {
        self.microphone = microphone
        self.role = role
        self.plan = plan
    }

    var device: CaptureDevice { microphone.device }
    var format: AudioFormat { microphone.format }
    var deliveryDelay: Nanoseconds { microphone.deliveryDelay }
    var simulationTime: Nanoseconds { microphone.simulationTime }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        if let kind = plan.next("microphone.\(role).start") { throw DeviceError(microphone.device, kind) }
        try microphone.start(on: clock) { [self] event in
            for event in replacements(for: event) { receive(event) }
        }
    }

    func setRecordingStart(_ start: ClockTime) {
        state.withLock { $0.hasBegun = true }
        microphone.setRecordingStart(start)
    }

    func stop() { microphone.stop() }

    private func replacements(for event: MicrophoneEvent) -> [MicrophoneEvent] {
        let hasBegun = state.withLock { $0.hasBegun }
        let kind = plan.next("microphone.\(role).\(hasBegun ? "event" : "warm-up")")
        return state.withLock { state in
            if kind == "late" || kind == "swapped" { state.releasedIn = kind == "late" ? 40 : 1 }
            guard state.releasedIn > 0 || !state.delayedEvents.isEmpty else {
                return kind.map { changed(event, $0) } ?? [event]
            }
            defer { state.releasedIn -= 1 }
            guard state.releasedIn == 0 else {
                state.delayedEvents.append(event)
                return []
            }
            defer { state.delayedEvents = [] }
            return kind == nil && state.delayedEvents.count == 1
                ? [event] + state.delayedEvents : state.delayedEvents + [event]
        }
    }

    private func changed(_ event: MicrophoneEvent, _ kind: String) -> [MicrophoneEvent] {
        guard case .audio(let audio) = event else { return kind == "nothing" ? [] : [event] }
        let time = audio.capturedAt
        switch kind {
        case "nothing": return []
        case "twice": return [event, event]
        case "away": return [.outageBegan(at: time, cause: "the cable was pulled")]
        case "awayBack":
            return [.outageBegan(at: time, cause: "the cable was pulled"), .outageEnded(at: time), event]
        case "returned": return [.outageEnded(at: time), event]
        case "ended": return [.ended(at: time, cause: "the file is at its end")]
        case "endedOn": return [.ended(at: time, cause: "the file is at its end"), event]
        case "babble":
            return [
                .outageBegan(at: time, cause: String(repeating: "\u{1B}[2J\n", count: 10_000)),
                .outageEnded(at: time),
                event,
            ]
        case let kind where kind.hasPrefix("lost-"):
            return [
                .lost(count: InvalidValues.number(String(kind.dropFirst(5))), cause: .bus, capturedAt: time),
                event,
            ]
        default: break
        }
        let channels = ["noChannels": 0, "manyChannels": 8][kind] ?? audio.format.channels
        return [
            .audio(
                CapturedAudio(
                    format: AudioFormat(rate: audio.format.rate, channels: channels),
                    capturedAt: InvalidValues.time(kind, time),
                    firstSample: InvalidValues.count(kind, audio.firstSample),
                    samples: InvalidValues.samples(kind, audio.samples)))
        ]
    }
}
