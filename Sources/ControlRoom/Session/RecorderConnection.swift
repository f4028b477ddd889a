internal import FoundationEssentials
internal import MulticamControl
internal import MulticamMedia
internal import MulticamMediaLink
internal import MulticamStudio

/// Connects to the recorder, tracks its status and events, and attaches streams. Reconnects whenever the
/// recorder returns. Safe to use from any thread: operations that may block run on a separate thread.
final class RecorderConnection: Sendable {
    private struct State {
        var process: Int32?
        /// Process ID of the calibration that is using the devices while no recorder is running.
        var calibration: Int32?
        var taps: [RemoteTap] = []
        var isConnected = false
        var sources: [StreamKey: StreamSource] = [:]
        var isClosed = false
    }

    private let mailbox: WebMailbox<RoomMessage>
    private let connector: RecorderConnector
    private let state = ConditionLock(State())

    /// Retry interval for a missing recorder and for detached streams.
    private static let retryInterval = Nanoseconds.milliseconds(100)

    /// Starts looking for a recorder.
    ///
    /// - Parameters:
    ///   - process: The recorder's process ID; `nil` if none is running yet.
    ///   - mailbox: Receives the notifications.
    ///   - connector: Connects to the recorder.
    init(_ process: Int32?, _ mailbox: WebMailbox<RoomMessage>, _ connector: RecorderConnector) {
        (self.mailbox, self.connector) = (mailbox, connector)
        state.withLock { $0.process = process }
        MediaThread.startWhenPossible(name: "recorder") { [self] in
            while connectAndAttach() {}
        }
    }

    /// Sets the recorder to connect to, or the calibration that is using the devices while no recorder is
    /// running.
    func setRecorder(_ process: Int32?, calibration: Int32? = nil) {
        let (before, taps) = state.broadcast { state in
            let before = state.isConnected ? state.process : nil
            let taps = state.taps
            (state.process, state.calibration) = (process, calibration)
            (state.isConnected, state.taps) = (false, [])
            return (before, taps)
        }
        for tap in taps { tap.close() }
        if let before { mailbox.post(.recorderDisconnected(process: before)) }
    }

    /// Process ID of the reachable recorder, or `nil`.
    var process: Int32? { state.withLock { $0.isConnected ? $0.process : nil } }

    /// Access for phones to the recorder, or to the calibration that is using the devices while no recorder is running.
    var accessForPhones: PhoneSource.RecorderAccess {
        PhoneSource.RecorderAccess(process: { [state] in
            state.withLock { $0.isConnected ? $0.process : $0.calibration }
        }) {
            [connector] process throws(ControlError) in
            try connector.connect(.media, of: process)
        }
    }

    /// Subscribes to one of the recorder's streams.
    func subscribe(to key: StreamKey) -> StreamSource {
        state.broadcast { state in
            if let source = state.sources[key] { return source }
            let source = StreamSource(key, mailbox)
            state.sources[key] = source
            return source
        }
    }

    /// Unsubscribes from one of the recorder's streams.
    func unsubscribe(from key: StreamKey) {
        state.withLock { $0.sources.removeValue(forKey: key) }?.close()
    }

    /// Closes all connections and ends the thread.
    func close() {
        let (taps, sources) = state.broadcast { state in
            state.isClosed = true
            return (state.taps, Array(state.sources.values))
        }
        for tap in taps { tap.close() }
        for source in sources { source.close() }
    }

    // MARK: Connection thread

    private func connectAndAttach() -> Bool {
        let (process, isThere, sources, isClosed) = state.withLock {
            ($0.process, $0.isConnected, Array($0.sources.values), $0.isClosed)
        }
        guard !isClosed else { return false }
        if let process {
            if !isThere { connect(to: process) }
            if state.withLock({ $0.isConnected }) {
                for source in sources { source.attach(to: process, by: connector) }
            }
        }
        let end = MonotonicClock().now + Self.retryInterval
        let count = sources.count
        // A new stream or another recorder ends the wait early.
        _ = state.wait(until: end) { state -> Void? in
            state.isClosed || state.process != process || state.sources.count > count ? () : nil
        }
        return true
    }

    private func connect(to process: Int32) {
        // The state is updated before the taps are created, because their threads report the end of the
        // connection.
        let isWanted = state.withLock { state in
            state.isConnected = state.process == process && !state.isClosed
            return state.isConnected
        }
        guard isWanted else { return }
        do throws(ControlError) {
            let socket = try connector.connect(.media, of: process)
            let status = try RemoteTap(.status, over: socket) { [weak self] piece in
                guard let self else { return }
                switch piece {
                case .status(let text): self.mailbox.post(.status(text))
                case .end: self.handleDisconnect(of: process)
                case .frame, .audio, .metadata, .packet, .event, .events, .refused: break
                }
            }
            let other = try connector.connect(.media, of: process)
            let events = try RemoteTap(.eventsSoFar, over: other) { [weak self] piece in
                switch piece {
                case .event(let text, _): self?.mailbox.post(.event(text))
                case .events(let texts): self?.mailbox.post(.events(texts))
                case .frame, .audio, .metadata, .packet, .status, .refused, .end: break
                }
            }
            mailbox.post(.recorderConnected(process: process))
            let isStillThere = state.withLock { state in
                guard state.isConnected, state.process == process else { return false }
                state.taps = [status, events]
                return true
            }
            guard isStillThere else {
                // The recorder has ended in the meantime. The recorder's end was reported before its presence, so the
                // end is reported again.
                mailbox.post(.recorderDisconnected(process: process))
                return
            }
        } catch {
            // The recorder is starting, or has ended for good. The supervisor reports which of the two is the case.
            state.withLock { if $0.process == process { $0.isConnected = false } }
        }
    }

    /// Handles the end of a recorder. Has no effect if another recorder is already being followed.
    private func handleDisconnect(of process: Int32) {
        let taps = state.broadcast { state -> [RemoteTap]? in
            guard state.process == process, state.isConnected else { return nil }
            state.isConnected = false
            defer { state.taps = [] }
            return state.taps
        }
        guard let taps else { return }
        for tap in taps { tap.close() }
        mailbox.post(.recorderDisconnected(process: process))
    }
}

/// Sends commands to the recorder, each on a separate thread because an answer may take a while. Safe to use from any
/// thread.
final class CommandSender: Sendable {
    private let mailbox: WebMailbox<RoomMessage>
    private let connector: RecorderConnector
    private let commandsInProgress = ConditionLock(0)

    /// Maximum number of commands in progress.
    private static let maxCommands = 16

    init(_ mailbox: WebMailbox<RoomMessage>, _ connector: RecorderConnector) {
        (self.mailbox, self.connector) = (mailbox, connector)
    }

    /// Sends a command. The answer arrives in the mailbox as `answered`.
    ///
    /// - Parameters:
    ///   - words: The words of `multicam ctl`.
    ///   - process: The recorder's process ID.
    ///   - ticket: The number of the request.
    ///   - wantsControls: Whether the answer consists of the camera's controls, if the reply contains any.
    ///     This also applies if the camera chose values other than the requested ones, because the controls
    ///     contain the chosen values.
    func send(_ words: [String], to process: Int32, ticket: Int, wantsControls: Bool = false) {
        let isAdmitted = commandsInProgress.withLock { working in
            guard working < Self.maxCommands else { return false }
            working += 1
            return true
        }
        guard isAdmitted else {
            return postReply(
                ticket, 503, ControlReply(ok: false, text: "too many commands are in progress. Try again."))
        }
        do throws(ThreadError) {
            _ = try MediaThread(name: "command") { [self] in
                execute(words, of: process, ticket: ticket, wantsControls: wantsControls)
            }
        } catch {
            commandsInProgress.withLock { $0 -= 1 }
            postReply(ticket, 503, ControlReply(ok: false, text: error.description))
        }
    }

    private func execute(_ words: [String], of process: Int32, ticket: Int, wantsControls: Bool) {
        defer { commandsInProgress.withLock { $0 -= 1 } }
        do throws(ControlError) {
            let reply = try ControlClient.send(
                CommandRequest(arguments: words), over: try connector.connect(.control, of: process))
            if wantsControls, let controls = reply.controls {
                let response = ControlsResponse(ok: reply.ok, text: reply.text, controls)
                mailbox.post(.answered(ticket: ticket, status: 200, json: WebJSON.text(response)))
            } else {
                postReply(ticket, reply.ok ? 200 : reply.usage ? 400 : 409, reply)
            }
        } catch {
            switch error {
            case .usage(let text): postReply(ticket, 400, ControlReply(ok: false, text: text, usage: true))
            case .notRunning(let text), .system(let text):
                postReply(ticket, 503, ControlReply(ok: false, text: text))
            }
        }
    }

    /// A camera's controls, with the result of the command.
    private struct ControlsResponse: Encodable {
        let ok: Bool
        let text: String
        let camera: ControlsReport.Camera
        let controls: [ControlsReport.Control]
        let set: [ControlsReport.Setting]
        let presets: [String]

        init(ok: Bool, text: String, _ report: ControlsReport) {
            (self.ok, self.text) = (ok, text.printable(limit: 2000))
            (camera, controls) = (report.camera, report.controls)
            (set, presets) = (report.set, report.presets)
        }
    }

    private func postReply(_ ticket: Int, _ status: Int, _ reply: ControlReply) {
        mailbox.post(.answered(ticket: ticket, status: status, json: WebJSON.text(reply)))
    }

    /// Parses the command words from a request's body: `{"command":"mark question 2"}` or `{"words":["mark","question
    /// 2"]}`. Returns `nil` if the body is neither.
    static func arguments(_ body: Data) -> [String]? {
        struct Request: Decodable {
            var command: String?
            var words: [String]?
        }
        do {
            let request = try JSONDecoder().decode(Request.self, from: body)
            let words = request.words ?? request.command?.split(separator: " ").map { String($0) } ?? []
            return words.isEmpty ? nil : words
        } catch {
            return nil
        }
    }
}
