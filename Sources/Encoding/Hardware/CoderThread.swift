import MulticamMedia

/// Runs a hardware encoder on a separate thread and limits the time that callers wait for it.
///
/// Drivers can hang, and waiting forever for a hung driver would stop all other tracks. An encoder that
/// doesn't respond in time is abandoned together with its thread and its memory, and isn't used again. The
/// encoder works in parallel: while it encodes one frame, the caller composes the next one.
final class CoderThread: Sendable {
    private struct Job: Sendable {
        let frame: HardwareFrame?
        let presentation: Int64
        let asKey: Bool
    }

    /// Properties of an open encoder: its frame layout and its parameter sets.
    struct Opened: Sendable {
        let layout: HardwareFrame.Layout
        let setup: [UInt8]
    }

    private struct State {
        var opened: Result<Opened, EncodingError>?
        var job: Job?
        /// Result of the last submitted job; `nil` while the job is running.
        var result: Result<[CodedFrame], EncodingError>? = .success([])
        var isClosing = false
        var isClosed = false
        /// Whether the encoder was abandoned because it didn't respond in time.
        var isAbandoned = false
    }

    private let state = ConditionLock(State())
    private let name: String
    private let frameTimeout: Nanoseconds

    /// Maximum time for opening, flushing, and closing an encoder. A driver that must wake up its device
    /// needs one or two seconds.
    static let openTimeout = Nanoseconds.seconds(10)
    /// Default maximum time per frame. The limit is hundreds of times longer than encoding a frame usually
    /// takes, so that a thread that is only waiting for a CPU isn't mistaken for a hung device.
    static let defaultFrameTimeout = Nanoseconds.seconds(5)

    /// Opens the encoder on a separate thread and waits until the encoder is open.
    ///
    /// - Parameters:
    ///   - name: Name of the encoder, used in messages.
    ///   - settings: Settings of the stream.
    ///   - frameTimeout: Maximum time per frame.
    ///   - open: Closure that opens the encoder.
    /// - Throws: An error if the encoder fails to open or doesn't respond in time.
    init(
        _ name: String, _ settings: VideoEncodingSettings, frameTimeout: Nanoseconds = defaultFrameTimeout,
        open: @escaping HardwareCoderFactory
    ) throws(EncodingError) {
        self.name = name
        self.frameTimeout = frameTimeout
        let state = state
        do throws(ThreadError) {
            _ = try MediaThread(name: "hw:\(name)") { Self.run(state, settings, open) }
        } catch {
            throw EncodingError(subject: name, error)
        }
        let opened = state.wait(until: MonotonicClock().now + longTimeout) {
            $0.opened
        }
        guard let opened else { throw abandonAfterTimeout("opening", longTimeout) }
        _ = try opened.get()
    }

    /// Frame layout and parameter sets of the encoder; `nil` only before `init` has returned.
    var opened: Opened? {
        state.withLock { state in
            if case .success(let opened)? = state.opened { opened } else { nil }
        }
    }

    /// Submits a frame and returns the result of the previous frame.
    ///
    /// - Returns: The coded frames that the encoder returned after receiving the previous frame.
    /// - Throws: An error if the previous frame failed or wasn't encoded in time.
    func encode(_ frame: HardwareFrame, presentation: Int64, asKey: Bool) throws(EncodingError)
        -> [CodedFrame]
    {
        let ready = try waitForResult()
        submit(Job(frame: frame, presentation: presentation, asKey: asKey))
        return ready
    }

    /// Returns all frames that are still inside the encoder. After a flush, only `close` may be called.
    func flush() throws(EncodingError) -> [CodedFrame] {
        let ready = try waitForResult()
        submit(Job(frame: nil, presentation: 0, asKey: false))
        // The timeout is long, because many frames may still be inside the encoder.
        return ready + (try waitForResult("flushing the last frames", within: longTimeout))
    }

    /// Closes the encoder and waits until it is closed, so that another encoder can be opened.
    func close() throws(EncodingError) {
        let isLeftBehind = state.broadcast { state in
            state.isClosing = true
            return state.isAbandoned
        }
        guard !isLeftBehind else { return }
        let isClosed = state.wait(until: MonotonicClock().now + longTimeout) {
            $0.isClosed ? true : nil
        }
        if isClosed == nil { throw abandonAfterTimeout("closing", longTimeout) }
    }

    /// Waits until the device is released, because the next stream may need the encoding session.
    deinit {
        do throws(EncodingError) {
            try close()
        } catch {
            // A device that hangs during closing is abandoned like any other hung device.
        }
    }

    private func submit(_ job: Job) {
        state.broadcast { state in
            state.job = job
            state.result = nil
        }
    }

    private var longTimeout: Nanoseconds { max(Self.openTimeout, frameTimeout) }

    private func waitForResult(
        _ operation: String = "encoding", within limit: Nanoseconds? = nil
    ) throws(EncodingError) -> [CodedFrame] {
        let limit = limit ?? frameTimeout
        let answer = state.wait(until: MonotonicClock().now + limit) { $0.result }
        guard let answer else { throw abandonAfterTimeout(operation, limit) }
        // An error is reported only once. An encoder that has failed isn't used again.
        return try answer.get()
    }

    private func abandonAfterTimeout(_ operation: String, _ limit: Nanoseconds) -> EncodingError {
        state.broadcast { state in
            state.isClosing = true
            state.isAbandoned = true
        }
        return EncodingError(
            subject: name, operation: operation,
            reason: "the encoder did not respond within \(limit.inSeconds) s")
    }

    private static func run(
        _ state: ConditionLock<State>, _ settings: VideoEncodingSettings, _ open: HardwareCoderFactory
    ) {
        work(state, settings, open)
        // At this point, the encoder has been closed.
        state.broadcast { $0.isClosed = true }
    }

    private static func work(
        _ state: ConditionLock<State>, _ settings: VideoEncodingSettings, _ open: HardwareCoderFactory
    ) {
        let coder: any HardwareCoding
        do throws(EncodingError) {
            coder = try open(settings)
        } catch {
            state.broadcast { $0.opened = .failure(error) }
            return
        }
        state.broadcast { $0.opened = .success(Opened(layout: coder.layout, setup: coder.setup)) }
        while let job = next(state) {
            let answer = Result { () throws(EncodingError) in
                try coder.encode(job.frame, presentation: job.presentation, asKey: job.asKey)
            }
            state.broadcast { $0.result = answer }
        }
    }

    private static func next(_ state: ConditionLock<State>) -> Job? {
        state.wait { state -> Job?? in
            if let job = state.job.take() { return .some(job) }
            return state.isClosing ? .some(nil) : nil
        }
    }
}
