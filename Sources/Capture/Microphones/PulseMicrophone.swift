public import Media

/// A microphone of the sound server.
///
/// Events come on libpulse's own thread, and on a supervising one while the microphone is away. The receiver must not
/// block there, nor call `stop`.
///
/// It records exactly the source it was made with. When that goes away, or the server does, or the server would have it
/// record another device, it tells `.away`, tries every 500 ms, and tells `.returned` with the first audio of the same
/// source. `firstSample` goes on by time meanwhile.
public final class PulseMicrophone: MicrophoneSource {
    private struct State {
        var connection: PulseConnection?
        var delivery: PulseDelivery?
        var supervisor: MediaThread?
    }

    public let device: CaptureDevice
    public let format: AudioFormat
    /// Two fragments of 10 ms, the server's own scheduling (up to 20 ms), and the same again for a busy machine.
    public let deliveryDelay = Nanoseconds.milliseconds(60)
    /// A report every 100 ms pulls with an eighth of its deviation: what is left of it is in 15 that follow, 2 · 8 − 1, all together
    /// (`SampleDating`).
    public let stampCorrelation = Nanoseconds.milliseconds(1500)
    private let source: PulseSource
    private let server: String?
    private let state: ConditionLock<State>

    /// Connects and checks that the source is there. Blocks for at most a few seconds.
    ///
    /// - Parameters:
    ///   - source: As the catalog gave it; what counts is its name.
    ///   - channels: 1…8; where the source has another number, the server mixes.
    ///   - rate: Samples per second; where the source has another, the server converts. `nil` for the source's own.
    ///   - server: `nil` for the user's own.
    /// - Throws: `noSoundServer`, `notFound`, `formatNotSupported`.
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

    /// Ends streaming and waits for it; no event follows. From any thread but the one that delivers.
    public func stop() {
        let last = state.withLock { state -> State in
            defer { state = State() }
            return state
        }
        last.delivery?.stop()
        last.supervisor?.join()
    }
}
