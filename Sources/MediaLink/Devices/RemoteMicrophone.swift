package import Media

/// A microphone whose audio another process sends. It goes and comes with that process's connection.
package final class RemoteMicrophone: MicrophoneSource {
    private struct State {
        var receive: (@Sendable (MicrophoneEvent) -> Void)?
        var isAway = false
        var error = Nanoseconds.zero
    }

    package let device: CaptureDevice
    package let format: AudioFormat
    package let deliveryDelay: Nanoseconds
    private let state = ConditionLock(State())

    init(name: String, format: AudioFormat, delay: Nanoseconds) {
        device = RemoteDevices.device(name, .audio, audio: format)
        self.format = format
        deliveryDelay = delay
    }

    /// The greatest error of the capture times that the sender has told.
    package var timeError: Nanoseconds { state.withLock { $0.error } }

    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let isAway = state.withLock { state in
            state.receive = receive
            return state.isAway
        }
        if isAway { receive(.away(at: clock.now, cause: Self.cause)) }
    }

    /// Whether a session has it.
    var isInUse: Bool { state.withLock { $0.receive != nil } }

    package func stop() { state.withLock { $0.receive = nil } }

    private static let cause = "its process has left"

    /// Takes audio that the process sent.
    ///
    /// - Parameters:
    ///   - bytes: Samples as 32-bit floats, little endian, interleaved; full scale is ±1.
    ///   - time: When the first sample was captured, on CLOCK_MONOTONIC.
    ///   - error: How far off `time` may be.
    ///   - firstSample: The sender's number of the first sample.
    /// - Throws: `MediaLinkError` when the bytes cannot be audio of the announced format.
    func take(
        _ bytes: SharedBytes, at time: ClockTime, error: Nanoseconds, firstSample: Int64
    ) throws(MediaLinkError) {
        let step = 4 * format.channels
        guard bytes.count > 0, bytes.count.isMultiple(of: step), bytes.count / step <= format.rate else {
            throw MediaLinkError(
                "\(bytes.count) bytes are no audio of \(format.channels) channels in 32-bit floats, of at most a second."
            )
        }
        let samples = withExtendedLifetime(bytes) {
            stride(from: 0, to: bytes.count, by: 4).map {
                Float(
                    bitPattern: UInt32(
                        littleEndian: bytes.bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)))
            }
        }
        let receive = state.withLock { state in
            state.error = max(state.error, error)
            return state.receive
        }
        receive?(
            .audio(
                CapturedAudio(format: format, capturedAt: time, firstSample: firstSample, samples: samples)))
    }

    /// Tells that the process has left, or was sent away.
    func leave(at time: ClockTime, cause: String = RemoteMicrophone.cause) {
        let receive = state.withLock { state in
            defer { state.isAway = true }
            return state.isAway ? nil : state.receive
        }
        receive?(.away(at: time, cause: cause))
    }

    /// Tells that a process sends its audio again.
    func comeBack(at time: ClockTime) {
        let receive = state.withLock { state in
            defer { state.isAway = false }
            return state.isAway ? state.receive : nil
        }
        receive?(.returned(at: time))
    }
}
