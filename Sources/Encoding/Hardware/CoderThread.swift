import Media

/// Runs a hardware encoder on a thread of its own and limits the time that callers wait for it.
///
/// Drivers can hang, and waiting for one for ever would lose all other tracks. An encoder that does not answer in time
/// is abandoned with its thread and its memory, and is never asked again. The encoder works on one frame while the next
/// is composed.
final class CoderThread: Sendable {
    private struct Job: Sendable {
        let frame: HardwareFrame?
        let presentation: Int64
        let asKey: Bool
    }

    /// Frame layout and parameter sets of an encoder that has been opened.
    struct Opened: Sendable {
        let layout: HardwareFrame.Layout
        let setup: [UInt8]
    }

    private struct State {
        var opened: Result<Opened, EncodingError>?
        var job: Job?
        /// Result of the job that was handed over last; `nil` while it is being worked on.
        var answer: Result<[CodedFrame], EncodingError>? = .success([])
        var isClosing = false
        var isClosed = false
        /// Whether the encoder was abandoned because it did not answer in time.
        var isLeftBehind = false
    }

    private let state = ConditionLock(State())
    private let name: String
    private let patience: Nanoseconds

    /// Longest time that opening, flushing and closing may take: a driver that has to wake its device needs a second or
    /// two.
    static let openingPatience = Nanoseconds.seconds(10)
    /// Longest time that a frame may take by default: hundreds of times the usual, so that a thread that only waits for
    /// a processor is not taken for a device that hangs.
    static let usualPatience = Nanoseconds.seconds(5)

    /// Opens the encoder on its thread and waits until it is open.
    ///
    /// - Parameters:
    ///   - name: The encoder, for messages.
    ///   - settings: Settings of the stream.
    ///   - patience: Longest time that a frame may take.
    ///   - open: Makes the encoder.
    /// - Throws: When the encoder refuses, or does not answer in time.
    init(
        _ name: String, _ settings: VideoEncodingSettings, patience: Nanoseconds = usualPatience,
        open: @escaping HardwareOpening
    ) throws(EncodingError) {
        self.name = name
        self.patience = patience
        let state = state
        _ = MediaThread(name: "hw:\(name)") { Self.run(state, settings, open) }
        let opened = state.wait(until: MonotonicClock().now + longPatience) {
            $0.opened
        }
        guard let opened else { throw silence("opening", longPatience) }
        _ = try opened.get()
    }

    /// Layout and parameter sets of the encoder; `nil` only before `init` has returned.
    var opened: Opened? {
        state.withLock { state in
            if case .success(let opened)? = state.opened { opened } else { nil }
        }
    }

    /// Hands over a frame and takes the result of the one before.
    ///
    /// - Returns: The coded frames that came out for the frame before.
    /// - Throws: When the frame before failed, or was not encoded in time.
    func encode(_ frame: HardwareFrame, presentation: Int64, asKey: Bool) throws(EncodingError)
        -> [CodedFrame]
    {
        let ready = try answer()
        hand(Job(frame: frame, presentation: presentation, asKey: asKey))
        return ready
    }

    /// Takes all frames that are still inside. Nothing may follow but `close`.
    func flush() throws(EncodingError) -> [CodedFrame] {
        let ready = try answer()
        hand(Job(frame: nil, presentation: 0, asKey: false))
        // Many frames may still be inside.
        return ready + (try answer("giving out its last frames", within: longPatience))
    }

    /// Closes the encoder and waits until it is closed, so that another one may be opened.
    func close() throws(EncodingError) {
        let isLeftBehind = state.broadcast { state in
            state.isClosing = true
            return state.isLeftBehind
        }
        guard !isLeftBehind else { return }
        let isClosed = state.wait(until: MonotonicClock().now + longPatience) {
            $0.isClosed ? true : nil
        }
        if isClosed == nil { throw silence("closing", longPatience) }
    }

    /// Waits until the device is free again, since the next stream may need its session.
    deinit {
        do throws(EncodingError) {
            try close()
        } catch {
            // The device hangs while closing: it is abandoned like any device that hangs.
        }
    }

    private func hand(_ job: Job) {
        state.broadcast { state in
            state.job = job
            state.answer = nil
        }
    }

    private var longPatience: Nanoseconds { max(Self.openingPatience, patience) }

    private func answer(
        _ operation: String = "encoding", within limit: Nanoseconds? = nil
    ) throws(EncodingError) -> [CodedFrame] {
        let limit = limit ?? patience
        let answer = state.wait(until: MonotonicClock().now + limit) { $0.answer }
        guard let answer else { throw silence(operation, limit) }
        // An error is reported once: an encoder that failed is not asked again.
        return try answer.get()
    }

    private func silence(_ operation: String, _ limit: Nanoseconds) -> EncodingError {
        state.broadcast { state in
            state.isClosing = true
            state.isLeftBehind = true
        }
        return EncodingError(
            subject: name, operation: operation, reason: "it did not answer within \(limit.inSeconds) s")
    }

    private static func run(
        _ state: ConditionLock<State>, _ settings: VideoEncodingSettings, _ open: HardwareOpening
    ) {
        work(state, settings, open)
        // By now the encoder is closed.
        state.broadcast { $0.isClosed = true }
    }

    private static func work(
        _ state: ConditionLock<State>, _ settings: VideoEncodingSettings, _ open: HardwareOpening
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
            state.broadcast { $0.answer = answer }
        }
    }

    private static func next(_ state: ConditionLock<State>) -> Job? {
        state.wait { state -> Job?? in
            if let job = state.job.take() { return .some(job) }
            return state.isClosing ? .some(nil) : nil
        }
    }
}
