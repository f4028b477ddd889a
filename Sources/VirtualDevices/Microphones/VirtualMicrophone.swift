public import Media

/// A synthetic microphone: beeps, a tone or silence, on a clock of its own, with the faults that its selector asks for.
///
/// It delivers slices of about 10 ms; a slice is to it what a frame is to a camera. Everything about sample i is a
/// function of the session clock, the selector and the role.
public final class VirtualMicrophone: MicrophoneSource {
    public let device: CaptureDevice
    public let format: AudioFormat
    public let deliveryDelay: Nanoseconds
    private let settings: VirtualMicrophoneSettings
    private let rules: ScriptedDelivery.Rules
    private let thread: SourceThread

    /// Slices a second, about.
    private static let slicesPerSecond = 100
    /// Slices that are overdue by more are lost, as with a full buffer; in real time only.
    private static let patience = Nanoseconds.seconds(1)

    /// Random choices depend on `role`.
    public init(role: String, settings: VirtualMicrophoneSettings) {
        self.settings = settings
        format = settings.format
        let behavior = settings.behavior
        rules = ScriptedDelivery.Rules(
            behavior, role: role, rate: FrameRate(Int64(settings.format.rate)),
            slotLength: Int64(settings.format.rate / Self.slicesPerSecond))
        let slice = Nanoseconds.seconds(
            rounding: rules.timebase.intervalInSeconds * Double(rules.slotLength) + 1e-9)
        deliveryDelay = slice + behavior.latency + behavior.jitter
        thread = SourceThread(name: "mic:\(role)")
        device = CaptureDevice(
            mediaType: .audio, deviceType: .virtual,
            identity: DeviceIdentity(
                product: "virtual", serial: "microphone-\(role)", name: "Virtual microphone \(role)"),
            name: "Virtual microphone \(role)", node: settings.selector, selector: settings.selector,
            controller: behavior.bus ?? "virtual-microphone-\(role)", busSpeed: 480, audio: settings.format)
    }

    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        thread.start(on: clock) { cancellation in
            self.run(on: clock, until: cancellation, delivering: receive)
        }
    }

    public func recordingBegins(at start: ClockTime) {
        thread.recordingBegins(at: start)
    }

    public func stop() {
        thread.stop()
    }

    public var simulationTime: Nanoseconds { thread.processorTime }

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @Sendable (MicrophoneEvent) -> Void
    ) {
        var rules = rules
        if clock.isRealTime { rules.patience = Self.patience }
        var delivery = ScriptedDelivery(rules, from: clock.now)
        while clock.sleep(until: delivery.wake(since: thread.recordingStart), unless: cancellation) {
            for step in delivery.steps(at: clock.now, since: thread.recordingStart) {
                switch step {
                case .deliver(let slice, _): receive(.audio(audio(slice)))
                case .lost(let slices, let cause, let time):
                    receive(.lost(count: slices * rules.slotLength, cause: cause, capturedAt: time))
                case .away(let time): receive(.away(at: time, cause: "unplugged"))
                case .returned(let time): receive(.returned(at: time))
                }
            }
            thread.noteProcessorTime()
        }
    }

    private func audio(_ slice: Int64) -> CapturedAudio {
        let time = rules.time(of: slice)
        let samples = AudioPattern(pattern: settings.pattern, channels: format.channels).samples(
            Int(rules.slotLength), from: time, every: rules.timebase.intervalInSeconds)
        return CapturedAudio(
            format: format,
            capturedAt: time + rules.choices.error(.jitter, of: slice, within: settings.behavior.jitter),
            firstSample: slice * rules.slotLength, samples: samples)
    }
}
