package import MulticamMedia

/// A microphone provided by the sound server.
///
/// Events arrive on libpulse's thread, or on a supervising thread while the microphone is unavailable. The
/// receiver must not block these threads or call `stop` on them.
///
/// The microphone records only the source that it was created with. If this source or the server disappears, or if the
/// server would move the stream to another device, the microphone delivers `.outageBegan` and retries every 500 ms. The
/// microphone delivers `.outageEnded` with the first audio of the same source. `firstSample` advances with time during the
/// outage.
package final class PulseMicrophone: DetailedMicrophoneSource {
    private struct State {
        var connection: PulseConnection?
        var delivery: PulseDelivery?
        var supervisor: MediaThread?
    }

    /// Identity, selector, sound card and ports of the source.
    package let device: CaptureDevice
    /// Sample rate in Hz and channel count of the delivered audio.
    package let format: AudioFormat
    /// 60 ms: two fragments of 10 ms, up to 20 ms for the server's scheduling, and a reserve of 20 ms for a busy
    /// machine.
    package let deliveryDelay = Nanoseconds.milliseconds(60)
    /// 1.5 s: every 100 ms, a timing report corrects the computed times by one eighth of the deviation. An
    /// error in a report therefore affects capture times until 15 reports later (2 · 8 − 1, see
    /// `SampleTimestamper`).
    package let stampCorrelation = Nanoseconds.milliseconds(1500)
    private let source: PulseSource
    private let server: String?
    private let state: ConditionLock<State>

    /// Connects to the server and checks that the source exists. Blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - source: A source from `PulseCatalog`; only its name is used.
    ///   - channels: 1…8. The server mixes the channels if the source has a different number of them.
    ///   - rate: Samples per second; `nil` for the source's native rate. The server resamples if the source
    ///     has a different rate.
    ///   - server: PulseAudio server string; `nil` for the user's default server.
    /// - Throws: `DeviceError` with `noSoundServer`, `notFound` or `formatNotSupported`.
    package init(
        source: PulseSource, channels: Int, rate: Int? = nil, server: String? = nil
    ) throws(DeviceError) {
        guard (1...8).contains(channels) else {
            throw DeviceError(
                device: source.selector, operation: "opening",
                reason: .formatNotSupported(requested: "\(channels) channels", offered: ["1 to 8 channels"]))
        }
        let connection = try PulseConnection(server: server)
        guard let present = try connection.sources().first(where: { $0.name == source.name }) else {
            throw DeviceError(device: source.selector, operation: "opening", reason: .notFound)
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

    /// Opens the record stream and waits up to 3 s until it is running. A microphone can be started only
    /// once.
    ///
    /// - Parameters:
    ///   - clock: The session clock for the capture times of the samples.
    ///   - receive: Called for each event on libpulse's thread, or on the supervising thread while the
    ///     microphone is unavailable.
    /// - Throws: `DeviceError` if the microphone was started before, if the source or the server is gone, or if the
    ///   server rejects the format or doesn't respond.
    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let connection = state.withLock { state -> PulseConnection? in
            defer { state.connection = nil }
            return state.connection
        }
        guard let connection else { throw .alreadyStarted(device.selector) }
        let delivery = PulseDelivery(format: format, clock: clock, receive: receive)
        let supervision = PulseSupervision(source: source, format: format, server: server, delivery: delivery)
        let stream = try PulseRecordStream(
            source: source, format: format, connection: connection, delivery: delivery)
        let supervisor = try supervision.start(with: stream)
        state.withLock { state in
            state.delivery = delivery
            state.supervisor = supervisor
        }
    }

    /// Stops streaming and waits until the stream is closed. No events are delivered after this call. Must
    /// not be called from the delivering thread.
    package func stop() {
        let last = state.withLock { state -> State in
            defer { state = State() }
            return state
        }
        last.delivery?.stop()
        last.supervisor?.join()
    }
}

/// Keeps a microphone's stream open until it is stopped. Reopens the stream after each failure.
struct PulseSupervision: Sendable {
    let source: PulseSource
    let format: AudioFormat
    let server: String?
    let delivery: PulseDelivery

    private static let pause = Nanoseconds.milliseconds(500)

    /// Starts a thread that takes ownership of `stream`. The thread ends and releases everything it owns after
    /// `delivery.stop()`.
    ///
    /// - Throws: `DeviceError` if the system can't create a thread.
    func start(with stream: PulseRecordStream) throws(DeviceError) -> MediaThread {
        // The thread's closure must not capture the stream directly: a closure is released only after the
        // thread has been joined.
        let handedOver = ConditionLock<PulseRecordStream?>(stream)
        do throws(ThreadError) {
            return try MediaThread(name: "mic:\(source.description)") { [self] in
                run(
                    with: handedOver.withLock { stream in
                        defer { stream = nil }
                        return stream
                    })
            }
        } catch {
            throw DeviceError(device: source.description, operation: "starting", error)
        }
    }

    private func run(with first: consuming PulseRecordStream?) {
        var stream = consume first
        while let cause = delivery.waitForFault() {
            // The stream is released first, so that libpulse's thread and this thread never report at the same time.
            stream = nil
            delivery.reportOutage(cause: cause)
            while stream == nil {
                guard delivery.sleep(for: Self.pause) else { return }
                stream = reopenStream()
            }
        }
    }

    /// Opens a stream of the same source on a new connection. Returns `nil` on failure; the caller retries.
    private func reopenStream() -> PulseRecordStream? {
        delivery.clearFailure()
        do throws(DeviceError) {
            // The time limit is short because `stop` waits until the connection attempt has ended.
            let connection = try PulseConnection(server: server, timeLimit: .seconds(1))
            return try PulseRecordStream(
                source: source, format: format, connection: connection, delivery: delivery)
        } catch {
            return nil
        }
    }
}
