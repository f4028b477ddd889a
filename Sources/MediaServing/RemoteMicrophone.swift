package import MulticamMedia
internal import MulticamMediaLink

/// A microphone whose audio is sent by another process. The microphone counts as connected while that process
/// is connected.
package final class RemoteMicrophone: DetailedMicrophoneSource {
    private struct State {
        var receive: (@Sendable (MicrophoneEvent) -> Void)?
        var isDisconnected = false
        var error = Nanoseconds.zero
        var origin = TimeOrigin.mapped
        /// End time of the last slice of audio.
        var lastTime: ClockTime?
        /// Whether the current outage ends with the next slice of audio instead of the announcement that
        /// precedes the slice.
        var awaitsAudio = false
    }

    package let device: CaptureDevice
    package let format: AudioFormat
    package let deliveryDelay: Nanoseconds
    private let state = ConditionLock(State())

    init(name: String, format: AudioFormat, delay: Nanoseconds) {
        device = RemoteDevices.device(name, .audio, audio: format)
        self.format = format
        deliveryDelay = delay
        isRelayed = SourceAddress.isRelayed(name)
    }

    /// Maximum error of the capture times, as reported by the sender.
    package var timeError: Nanoseconds { state.withLock { $0.error } }

    package var timeOrigin: TimeOrigin? { state.withLock { $0.origin } }

    package var outageCause: LossCause { isRelayed ? .network : .disconnected }

    /// Whether the audio arrives over the network. An outage of a network microphone lasts as long as audio
    /// is missing, whereas other outages last as long as the connection is closed.
    private let isRelayed: Bool

    /// Sets the origin of the audio's timestamps.
    func setTimeOrigin(_ origin: TimeOrigin) { state.withLock { $0.origin = origin } }

    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let isDisconnected = state.withLock { state in
            state.receive = receive
            return state.isDisconnected
        }
        if isDisconnected { receive(.outageBegan(at: clock.now, cause: Self.cause)) }
    }

    /// Whether a session is using the microphone.
    var isInUse: Bool { state.withLock { $0.receive != nil } }

    package func stop() { state.withLock { $0.receive = nil } }

    private static let cause = "the sending process disconnected"
    private static let networkCause = "network: the source process ended"

    /// Receives audio from the process.
    ///
    /// - Parameters:
    ///   - bytes: Interleaved samples as little-endian 32-bit floats; full scale is ±1.
    ///   - time: Capture time of the first sample on CLOCK_MONOTONIC.
    ///   - error: Maximum error of `time`.
    ///   - firstSample: The sender's sample number of the first sample.
    /// - Throws: `MediaLinkError` if the bytes can't be audio of the announced format.
    func receiveAudio(
        _ bytes: SharedBytes, at time: ClockTime, error: Nanoseconds, firstSample: Int64
    ) throws(MediaLinkError) {
        let step = 4 * format.channels
        guard bytes.count > 0, bytes.count.isMultiple(of: step), bytes.count / step <= format.rate else {
            throw MediaLinkError(
                "invalid audio of \(bytes.count) bytes: expected \(format.channels) channels of 32-bit floats, at most one second."
            )
        }
        let samples = withExtendedLifetime(bytes) {
            stride(from: 0, to: bytes.count, by: 4).map {
                Float(
                    bitPattern: UInt32(
                        littleEndian: bytes.bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)))
            }
        }
        let length = Nanoseconds.duration(of: Int64(bytes.count / step), perSecond: Int64(format.rate))
        let (receive, returns) = state.withLock { state in
            state.error = max(state.error, error)
            state.lastTime = time + length
            let returns = state.awaitsAudio
            state.awaitsAudio = false
            return (state.receive, returns)
        }
        if returns { receive?(.outageEnded(at: time)) }
        receive?(
            .audio(
                CapturedAudio(format: format, capturedAt: time, firstSample: firstSample, samples: samples)))
    }

    /// Reports that the process has disconnected or that its data was rejected.
    func disconnect(at time: ClockTime, cause: String? = nil) {
        let (receive, last) = state.withLock { state in
            defer {
                state.isDisconnected = true
                state.awaitsAudio = false
            }
            return (state.isDisconnected && !state.awaitsAudio ? nil : state.receive, state.lastTime)
        }
        let since = isRelayed ? last.map { min($0, time) } : nil
        receive?(
            .outageBegan(at: since ?? time, cause: cause ?? (isRelayed ? Self.networkCause : Self.cause)))
    }

    /// Reports that a process is sending the microphone's audio again.
    func reconnect(at time: ClockTime) {
        let receive = state.withLock { state in
            defer {
                state.awaitsAudio = state.isDisconnected && isRelayed
                state.isDisconnected = false
            }
            return state.isDisconnected && !isRelayed ? state.receive : nil
        }
        receive?(.outageEnded(at: time))
    }
}
