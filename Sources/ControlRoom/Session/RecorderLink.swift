internal import Control
internal import Media
internal import MediaLink
internal import Studio

/// Finds the recorder, follows its status and events, and attaches streams to it, again whenever it comes back. Safe to use from any
/// thread: what may block runs on a thread of its own.
final class RecorderLink: Sendable {
    private struct State {
        var process: Int32?
        /// The calibration that has the devices while there is no recorder.
        var calibration: Int32?
        var taps: [RemoteTap] = []
        var isThere = false
        var sources: [StreamKey: StreamSource] = [:]
        var isClosed = false
    }

    private let mailbox: WebMailbox<RoomMessage>
    private let connector: RecorderConnector
    private let state = ConditionLock(State())

    /// How often is looked for a recorder that is not there, and for streams that are not attached.
    private static let interval = Nanoseconds.milliseconds(100)

    /// Starts to look for a recorder.
    ///
    /// - Parameters:
    ///   - process: Its process identifier; `nil` for none yet.
    ///   - mailbox: Where news go.
    ///   - connector: Connects to the recorder.
    init(_ process: Int32?, _ mailbox: WebMailbox<RoomMessage>, _ connector: RecorderConnector) {
        (self.mailbox, self.connector) = (mailbox, connector)
        state.withLock { $0.process = process }
        _ = MediaThread(name: "recorder") { [self] in
            while next() {}
        }
    }

    /// The recorder to ask from now on, or the calibration that has the devices while there is none.
    func follow(_ process: Int32?, calibration: Int32? = nil) {
        let (before, taps) = state.broadcast { state in
            let before = state.isThere ? state.process : nil
            let taps = state.taps
            (state.process, state.calibration) = (process, calibration)
            (state.isThere, state.taps) = (false, [])
            return (before, taps)
        }
        for tap in taps { tap.close() }
        if let before { mailbox.post(.recorderLeft(process: before)) }
    }

    /// The recorder that can be asked; `nil` while there is none.
    var process: Int32? { state.withLock { $0.isThere ? $0.process : nil } }

    /// The recorder, or the calibration that has the devices meanwhile, as phones reach it.
    var forPhones: PhoneSource.Recorder {
        PhoneSource.Recorder(process: { [state] in
            state.withLock { $0.isThere ? $0.process : $0.calibration }
        }) {
            [connector] process throws(ControlError) in
            try connector.connect(.media, of: process)
        }
    }

    /// Takes a stream from the recorder from now on.
    func open(_ key: StreamKey) -> StreamSource {
        state.broadcast { state in
            if let source = state.sources[key] { return source }
            let source = StreamSource(key, mailbox)
            state.sources[key] = source
            return source
        }
    }

    /// Takes a stream no longer.
    func close(_ key: StreamKey) {
        state.withLock { $0.sources.removeValue(forKey: key) }?.close()
    }

    /// Ends everything.
    func close() {
        let (taps, sources) = state.broadcast { state in
            state.isClosed = true
            return (state.taps, Array(state.sources.values))
        }
        for tap in taps { tap.close() }
        for source in sources { source.close() }
    }

    // MARK: The thread

    private func next() -> Bool {
        let (process, isThere, sources, isClosed) = state.withLock {
            ($0.process, $0.isThere, Array($0.sources.values), $0.isClosed)
        }
        guard !isClosed else { return false }
        if let process {
            if !isThere { meet(process) }
            if state.withLock({ $0.isThere }) {
                for source in sources { source.attach(to: process, by: connector) }
            }
        }
        let end = MonotonicClock().now + Self.interval
        let count = sources.count
        // A stream that is opened, or another recorder, is not kept waiting.
        _ = state.wait(until: end) { state -> Void? in
            state.isClosed || state.process != process || state.sources.count > count ? () : nil
        }
        return true
    }

    private func meet(_ process: Int32) {
        // Before the taps are made, since theirs is the thread that tells their end.
        let isWanted = state.withLock { state in
            state.isThere = state.process == process && !state.isClosed
            return state.isThere
        }
        guard isWanted else { return }
        do throws(ControlError) {
            let socket = try connector.connect(.media, of: process)
            let status = try RemoteTap(.status, over: socket) { [weak self] piece in
                guard let self else { return }
                switch piece {
                case .status(let text): self.mailbox.post(.status(text))
                case .end: self.lose(process)
                case .frame, .audio, .packet, .event, .events, .refused: break
                }
            }
            let other = try connector.connect(.media, of: process)
            let events = try RemoteTap(.eventsSoFar, over: other) { [weak self] piece in
                switch piece {
                case .event(let text, _): self?.mailbox.post(.event(text))
                case .events(let texts): self?.mailbox.post(.events(texts))
                case .frame, .audio, .packet, .status, .refused, .end: break
                }
            }
            mailbox.post(.recorderCame(process: process))
            let isStillThere = state.withLock { state in
                guard state.isThere, state.process == process else { return false }
                state.taps = [status, events]
                return true
            }
            guard isStillThere else {
                // It left meanwhile, and who told so came first.
                mailbox.post(.recorderLeft(process: process))
                return
            }
        } catch {
            // It is starting, or gone for good; the supervisor tells.
            state.withLock { if $0.process == process { $0.isThere = false } }
        }
    }

    /// Notes that a recorder has ended; nothing where another one is followed already.
    private func lose(_ process: Int32) {
        let taps = state.broadcast { state -> [RemoteTap]? in
            guard state.process == process, state.isThere else { return nil }
            state.isThere = false
            defer { state.taps = [] }
            return state.taps
        }
        guard let taps else { return }
        for tap in taps { tap.close() }
        mailbox.post(.recorderLeft(process: process))
    }
}
