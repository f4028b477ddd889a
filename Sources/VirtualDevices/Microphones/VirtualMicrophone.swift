public import Media

/// A synthetic microphone: beeps, a tone or silence, a device clock of its own, and the faults that its selector
/// scripts.
///
/// It delivers slices of about 10 ms; drops and losses hit whole slices. Sample i depends on the session clock, the
/// selector and the role alone.
public final class VirtualMicrophone: MicrophoneSource {
    /// Identity, selector and audio format of this microphone.
    public let device: CaptureDevice
    /// Sample rate in Hz and channel count that the selector asks for.
    public let format: AudioFormat
    /// Longest time from the capture of a slice's first sample to delivery: slice + latency + jitter.
    public let deliveryDelay: Nanoseconds
    private let settings: VirtualMicrophoneSettings
    private let rules: ScriptedDelivery.Rules
    private let thread: SourceThread

    /// Approximate number of slices per second.
    private static let slicesPerSecond = 100
    /// In real time, slices overdue by more than this are lost, as when a buffer is full.
    private static let patience = Nanoseconds.seconds(1)

    /// Makes a synthetic microphone, not yet started.
    ///
    /// - Parameters:
    ///   - role: The role in the profile; random choices depend on it.
    ///   - settings: The parsed selector.
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

    /// Starts the microphone's thread. Returns at once; events follow on that thread.
    ///
    /// - Parameters:
    ///   - clock: The session clock that the samples are timed by.
    ///   - receive: Called on the microphone's thread for each event.
    /// - Throws: Nothing.
    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        thread.start(on: clock) { cancellation in
            self.run(on: clock, until: cancellation, delivering: receive)
        }
    }

    /// Sets T0, the instant that the fault script counts from. Only the first call since `start` counts.
    public func recordingBegins(at start: ClockTime) {
        thread.recordingBegins(at: start)
    }

    /// Stops the thread and waits for its end; no event follows. Must not be called from the microphone's own thread.
    public func stop() {
        thread.stop()
    }

    /// Processor time that the microphone's threads have used to compute samples.
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
