internal import Media

/// Captures one microphone once for several roles, so that all have the same samples, times and losses. Each role gets its own
/// source.
final class SharedMicrophone: Sendable {
    private let source: any MicrophoneSource
    private let roleCount: Int
    private let receivers = ConditionLock<[@Sendable (MicrophoneEvent) -> Void]>([])

    /// Shares a microphone.
    ///
    /// - Parameters:
    ///   - source: The microphone, opened, not started.
    ///   - roleCount: The number of roles that will start it; capture begins with the last, so that all get the same samples.
    init(_ source: any MicrophoneSource, roleCount: Int) {
        self.source = source
        self.roleCount = roleCount
    }

    /// A source for one role.
    var part: any MicrophoneSource { Part(whole: self) }

    private struct Part: MicrophoneSource {
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

        func recordingBegins(at start: ClockTime) { whole.source.recordingBegins(at: start) }

        /// Stops the capture for all roles: those of one session end together.
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
