public import Media

/// A microphone of the sound server.
///
/// Events come on libpulse's own thread, and on a supervising thread while the microphone is away. The receiver must
/// not block there, nor call `stop`.
///
/// It records exactly the source it was made with. When that source or the server goes away, or the server would move
/// the stream to another device, it delivers `.away`, tries again every 500 ms, and delivers `.returned` with the first
/// audio of the same source. `firstSample` goes on by time meanwhile.
public final class PulseMicrophone: MicrophoneSource {
    private struct State {
        var connection: PulseConnection?
        var delivery: PulseDelivery?
        var supervisor: MediaThread?
    }

    /// Identity, selector, card and ports of the source.
    public let device: CaptureDevice
    /// Sample rate in Hz and channel count of the delivered audio.
    public let format: AudioFormat
    /// 60 ms: two fragments of 10 ms, the server's own scheduling (up to 20 ms), and the same again for a busy machine.
    public let deliveryDelay = Nanoseconds.milliseconds(60)
    /// 1.5 s: a report every 100 ms pulls the dates by an eighth of its deviation, so its error is spread over the 15
    /// reports that follow, 2 · 8 − 1 (`SampleDating`).
    public let stampCorrelation = Nanoseconds.milliseconds(1500)
    private let source: PulseSource
    private let server: String?
    private let state: ConditionLock<State>

    /// Connects to the server and checks that the source is there. Blocks for at most a few seconds.
    ///
    /// - Parameters:
    ///   - source: A source from `PulseCatalog`; only its name counts.
    ///   - channels: 1…8; where the source has another number, the server mixes.
    ///   - rate: Samples per second; where the source has another rate, the server converts. `nil` for the source's
    ///     own.
    ///   - server: PulseAudio server string; `nil` for the user's own server.
    /// - Throws: `DeviceError` with `noSoundServer`, `notFound` or `formatNotSupported`.
    public init(
        source: PulseSource, channels: Int, rate: Int? = nil, server: String? = nil
    ) throws(DeviceError) {
        guard (1...8).contains(channels) else {
            throw DeviceError(
                device: source.selector, operation: "open",
                reason: .formatNotSupported(requested: "\(channels) channels", offered: ["1 to 8 channels"]))
        }
        let connection = try PulseConnection(server: server)
        guard let present = try connection.sources().first(where: { $0.name == source.name }) else {
            throw DeviceError(device: source.selector, operation: "open", reason: .notFound)
        }
        self.source = present
        self.server = server
        device = present.captureDevice
        format = AudioFormat(rate: rate ?? present.format.rate, channels: channels)
        state = ConditionLock(State(connection: connection))
    }

    deinit {
        stop()
    }

    /// Opens the record stream and waits until it runs, at most 3 s. A microphone can be started only once.
    ///
    /// - Parameters:
    ///   - clock: The session clock that the samples are dated by.
    ///   - receive: Called for each event on libpulse's thread, or on the supervising thread while the microphone is
    ///     away.
    /// - Throws: `DeviceError` when the source is gone, the server went away, refuses the format or does not answer.
    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let connection = state.withLock { state -> PulseConnection? in
            defer { state.connection = nil }
            return state.connection
        }
        guard let connection else {
            preconditionFailure("a microphone is started once, and not after it was stopped")
        }
        let delivery = PulseDelivery(format: format, clock: clock, receive: receive)
        let supervision = PulseSupervision(source: source, format: format, server: server, delivery: delivery)
        let stream = try PulseRecordStream(
            source: source, format: format, connection: connection, delivery: delivery)
        let supervisor = supervision.begin(with: stream)
        state.withLock { state in
            state.delivery = delivery
            state.supervisor = supervisor
        }
    }

    /// Ends streaming and waits for its end; no event follows. Must not be called from the thread that delivers.
    public func stop() {
        let last = state.withLock { state -> State in
            defer { state = State() }
            return state
        }
        last.delivery?.stop()
        last.supervisor?.join()
    }
}
