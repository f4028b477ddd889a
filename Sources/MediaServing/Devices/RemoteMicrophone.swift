package import Media
internal import MediaLink

/// A microphone whose audio another process sends. It goes and comes with that process's connection.
package final class RemoteMicrophone: MicrophoneSource {
    private struct State {
        var receive: (@Sendable (MicrophoneEvent) -> Void)?
        var isAway = false
        var error = Nanoseconds.zero
        var origin = TimeOrigin.mapped
        /// The end of the last slice.
        var lastTime: ClockTime?
        /// Whether the first slice that comes ends the outage, not the announcement before it.
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
        isOverNetwork = SourceAddress.isBroughtHere(name)
    }

    /// The greatest error of the capture times that the sender has told.
    package var timeError: Nanoseconds { state.withLock { $0.error } }

    package var timeOrigin: TimeOrigin? { state.withLock { $0.origin } }

    package var outageCause: LossCause { isOverNetwork ? .network : .away }

    /// Whether the network brings it, so that an outage is as long as audio is missing, not as its connection.
    private let isOverNetwork: Bool

    /// Sets who dates the audio from now on.
    func date(by origin: TimeOrigin) { state.withLock { $0.origin = origin } }

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
    private static let networkCause = "network: the process that brings it has ended"

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
        let length = Nanoseconds.duration(of: Int64(bytes.count / step), perSecond: Int64(format.rate))
        let (receive, returns) = state.withLock { state in
            state.error = max(state.error, error)
            state.lastTime = time + length
            let returns = state.awaitsAudio
            state.awaitsAudio = false
            return (state.receive, returns)
        }
        if returns { receive?(.returned(at: time)) }
        receive?(
            .audio(
                CapturedAudio(format: format, capturedAt: time, firstSample: firstSample, samples: samples)))
    }

    /// Tells that the process has left, or was sent away.
    func leave(at time: ClockTime, cause: String? = nil) {
        let (receive, last) = state.withLock { state in
            defer {
                state.isAway = true
                state.awaitsAudio = false
            }
            return (state.isAway && !state.awaitsAudio ? nil : state.receive, state.lastTime)
        }
        let since = isOverNetwork ? last.map { min($0, time) } : nil
        receive?(.away(at: since ?? time, cause: cause ?? (isOverNetwork ? Self.networkCause : Self.cause)))
    }

    /// Tells that a process sends its audio again.
    func comeBack(at time: ClockTime) {
        let receive = state.withLock { state in
            defer {
                state.awaitsAudio = state.isAway && isOverNetwork
                state.isAway = false
            }
            return state.isAway && !isOverNetwork ? state.receive : nil
        }
        receive?(.returned(at: time))
    }
}
