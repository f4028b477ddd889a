internal import Media

/// One microphone that plays several roles: captured once, so that all have the same samples, times and losses. Each role gets a
/// source of its own from it.
final class SharedMicrophone: Sendable {
    private let source: any MicrophoneSource
    private let roleCount: Int
    private let receivers = ConditionLock<[@Sendable (MicrophoneEvent) -> Void]>([])

    /// - Parameters:
    ///   - source: Opened, not started.
    ///   - roleCount: How many will start it; it streams from the last of them on, so that none misses a sample of another's.
    init(_ source: any MicrophoneSource, roleCount: Int) {
        self.source = source
        self.roleCount = roleCount
    }

    /// The source of one role.
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

        /// Roles of one session end together: the first ends it for all.
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
