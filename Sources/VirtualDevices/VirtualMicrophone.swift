import Glibc
package import MulticamMedia

/// A synthetic microphone that generates beeps, a tone, or silence. The microphone has its own simulated
/// device clock, and simulates the faults that its selector specifies.
///
/// The microphone delivers slices of about 10 ms. Drops and losses affect whole slices. The value of a sample depends
/// only on the session clock, the selector, and the role.
package final class VirtualMicrophone: DetailedMicrophoneSource {
    /// Identity, selector, and audio format of this microphone.
    package let device: CaptureDevice
    /// Sample rate in Hz and channel count from the selector.
    package let format: AudioFormat
    /// Longest time from the capture of a slice's first sample to delivery, which is the slice duration + latency +
    /// jitter.
    package let deliveryDelay: Nanoseconds
    private let settings: VirtualMicrophoneSettings
    private let rules: ScriptedDelivery.Rules
    private let thread: SourceThread

    /// Approximate number of slices per second.
    private static let slicesPerSecond = 100
    /// In real time, slices that are overdue by more than this time are lost, as if a buffer were full.
    private static let maxOverdueTime = Nanoseconds.seconds(1)

    /// Creates a synthetic microphone without starting it.
    ///
    /// - Parameters:
    ///   - role: The role in the profile, on which random choices depend.
    ///   - settings: The parsed selector.
    package init(role: String, settings: VirtualMicrophoneSettings) {
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

    /// Starts the microphone's thread. Returns immediately; the events arrive on that thread.
    ///
    /// - Parameters:
    ///   - clock: The session clock that times the samples.
    ///   - receive: Called on the microphone's thread for each event.
    /// - Throws: This implementation never throws an error.
    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        try thread.start(on: clock) { cancellation in
            self.run(on: clock, until: cancellation, delivering: receive)
        }
    }

    /// Sets T0, the reference time of the fault script. Only the first call after `start` has an effect.
    package func setRecordingStart(_ start: ClockTime) {
        thread.setRecordingStart(start)
    }

    /// Stops the thread and waits until it has ended. After this call, no more events are sent. This method must not be
    /// called from the microphone's own thread.
    package func stop() {
        thread.stop()
    }

    /// CPU time that the microphone's threads have used to compute samples.
    package var simulationTime: Nanoseconds { thread.processorTime }

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @Sendable (MicrophoneEvent) -> Void
    ) {
        var rules = rules
        if clock.isRealTime { rules.maxOverdueTime = Self.maxOverdueTime }
        var delivery = ScriptedDelivery(rules, from: clock.now)
        while clock.sleep(until: delivery.wakeTime(since: thread.recordingStart), unless: cancellation) {
            for step in delivery.dequeueSteps(at: clock.now, since: thread.recordingStart) {
                switch step {
                case .deliver(let slice, _): receive(.audio(audio(slice)))
                case .lost(let slices, let cause, let time):
                    receive(.lost(count: slices * rules.slotLength, cause: cause, capturedAt: time))
                case .away(let time): receive(.outageBegan(at: time, cause: "unplugged"))
                case .returned(let time): receive(.outageEnded(at: time))
                }
            }
            thread.recordProcessorTime()
        }
    }

    private func audio(_ slice: Int64) -> CapturedAudio {
        let time = rules.time(of: slice)
        let (count, interval) = (Int(rules.slotLength), rules.timebase.intervalInSeconds)
        let samples: [Float]
        if settings.pattern == .people {
            let signal = SpeechSignal(
                person: settings.person, conversation: Conversation(speakerCount: settings.speakers))
            let mono = signal.samples(count, from: time, every: interval, first: slice * rules.slotLength)
            samples =
                format.channels == 1 ? mono : mono.flatMap { Array(repeating: $0, count: format.channels) }
        } else {
            samples = AudioPattern(pattern: settings.pattern, channels: format.channels).samples(
                count, from: time, every: interval)
        }
        return CapturedAudio(
            format: format,
            capturedAt: time + rules.choices.error(.jitter, of: slice, within: settings.behavior.jitter),
            firstSample: slice * rules.slotLength, samples: samples)
    }
}

/// The audio of a synthetic microphone, as a function of CLOCK_MONOTONIC.
struct AudioPattern: Sendable {
    let pattern: VirtualMicrophoneSettings.Pattern
    let channels: Int

    private static let frequency = 1000.0
    private static let amplitude = 0.5
    private static let beepSeconds = 0.04

    /// Computes the samples of one slice.
    ///
    /// - Parameters:
    ///   - count: Number of samples per channel.
    ///   - start: Capture time of the first sample.
    ///   - interval: Number of seconds between samples, by the device's own clock.
    /// - Returns: `count` × `channels` interleaved values, identical in every channel.
    func samples(_ count: Int, from start: ClockTime, every interval: Double) -> [Float] {
        // The wave is computed from the time of the last clap. Within a slice, a `Double` represents this
        // time with an accuracy of 10⁻¹⁵ s.
        let sinceClap = Clap.timeSinceLast(at: start).inSeconds
        let isSilent =
            switch pattern {
            case .silence, .people: true
            case .tone: false
            case .clap: sinceClap >= Self.beepSeconds && sinceClap + Double(count) * interval < 1
            }
        guard !isSilent else { return Array(repeating: 0, count: count * channels) }
        return Array(unsafeUninitializedCapacity: count * channels) { samples, filled in
            for index in 0..<count {
                let value = value(sinceClap + Double(index) * interval)
                for channel in 0..<channels { samples[index * channels + channel] = value }
            }
            filled = count * channels
        }
    }

    private func value(_ seconds: Double) -> Float {
        // Subtracting one second once is sufficient, because a slice is shorter than a second.
        let time = seconds >= 1 ? seconds - 1 : seconds
        guard pattern == .tone || time < Self.beepSeconds else { return 0 }
        return Float(Self.amplitude * sin(2 * .pi * Self.frequency * time))
    }
}
