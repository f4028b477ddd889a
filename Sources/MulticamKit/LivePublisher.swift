internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamMedia
package import MulticamMediaServing
internal import MulticamPlan
internal import MulticamProfiles
package import MulticamSession
internal import MulticamSessionFolder
package import MulticamSetup
internal import MulticamSystem

/// Streams a session's program or cameras live. A separate process, `multicam-live`, receives the media from
/// the media socket and sends the live stream.
///
/// ```swift
/// let publisher = LivePublisher(of: mediaServer)
/// publisher.serve(session, setup.liveOutputs)
/// publisher.publish(LiveOutput(name: "show", address: try LiveOutputAddress(address)))
/// let result = try await session.record()
/// await publisher.end()
/// ```
///
/// The process starts with the first requested output. If the process crashes or hangs, it is restarted and receives
/// the requested outputs again. Recordings never wait for the process. Keys are passed only on the standard input of
/// the process. Thread-safe.
package final class LivePublisher: Sendable {
    private struct State {
        var session: MulticamSession?
        /// The live outputs in the session's profile.
        var entries: [LiveOutput] = []
        /// All current and former live outputs, in the order in which they were first requested.
        var outputs: [PublishedOutput] = []
        var isRecording = false
        let helper: HelperProcess

        func index(_ name: String) -> Int? { outputs.firstIndex { $0.liveOutput.name == name } }

        /// Updates an output and notifies the session.
        mutating func update(_ index: Int, _ body: (inout PublishedOutput) -> Void) {
            body(&outputs[index])
            session?.updateLiveOutput(outputs[index].status)
        }

        mutating func end(_ index: Int, at time: ClockTime) {
            update(index) { $0.end(at: time) }
            helper.send(LiveCommand(unpublish: outputs[index].liveOutput.name).line)
        }
    }

    private let notify: @Sendable (String) -> Void
    private let clock = MonotonicClock()
    private let helper: HelperProcess
    private let state: ConditionLock<State>

    private static let programName = "multicam-live"

    /// Creates a publisher without starting a process.
    ///
    /// - Parameters:
    ///   - server: The media server that provides frames, audio, and packets to the process.
    ///   - program: Path of `multicam-live`; `nil` to find it where multicam is installed or built.
    ///   - withheld: Names of environment variables of this process, such as those with keys, that the helper doesn't
    ///     inherit.
    ///   - notify: Receives messages for the user, on any thread.
    package convenience init(
        of server: MediaServer, program: String? = nil, withholding withheld: Set<String> = [],
        notify: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            socket: server.path, program: program ?? ProgramPath.sibling(Self.programName),
            withholding: withheld, notify: notify)
    }

    package init(
        socket: String, program: String?, withholding withheld: Set<String> = [],
        notify: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.notify = notify
        helper = HelperProcess(
            Self.programName, thread: "live",
            missingProgramPrefix: "Live outputs are disabled: the live output program",
            socket: socket, program: program, withholding: withheld, notify: notify)
        state = ConditionLock(State(helper: helper))
    }

    // MARK: Requested outputs

    /// Sets the session whose media is published. Call this method before the session records. Outputs that
    /// the profile starts with the session start immediately. Outputs that the profile starts with a
    /// recording run during recordings. Live outputs that are already running continue.
    ///
    /// - Parameters:
    ///   - session: The session; `nil` if no session exists.
    ///   - liveOutputs: The live outputs of the session's profile, `SessionSetup.liveOutputs`.
    package func serve(_ session: MulticamSession?, _ liveOutputs: [LiveOutput] = []) {
        let (before, wanted) = state.withLock { state in
            let before = state.session
            (state.session, state.isRecording) = (session, false)
            if session != nil { state.entries = liveOutputs }
            let wanted = state.outputs.filter { !$0.isUnpublished }
            for output in wanted { session?.updateLiveOutput(output.status) }
            return (before, wanted.map(\.liveOutput))
        }
        before?.setRecordingListener(nil)
        guard let session else { return }
        for liveOutput in wanted where !liveOutputs.contains(where: { $0.name == liveOutput.name }) {
            session.addToPlanIgnoringBudget(liveOutput.planned)
        }
        session.setRecordingListener { [weak self] begins in self?.handleRecordingChange(isRecording: begins)
        }
        for liveOutput in liveOutputs where liveOutput.start == .session { publish(liveOutput) }
    }

    /// Starts a live output. If the profile starts the output with a recording, the output also ends with the
    /// recording.
    ///
    /// - Parameter liveOutput: Content and address of the live output.
    /// - Returns: Whether the output was started; `false` if an output with this name is already published.
    @discardableResult
    package func publish(_ liveOutput: LiveOutput) -> Bool {
        state.withLock { state in
            let index = state.index(liveOutput.name)
            guard !helper.isEnding, index.map({ state.outputs[$0].isUnpublished }) ?? true else {
                return false
            }
            let endsWithRecording = liveOutput.start == .recording && state.isRecording
            if index == nil { state.outputs.append(PublishedOutput(liveOutput, at: clock.now)) }
            state.update(index ?? state.outputs.count - 1) {
                $0.begin(liveOutput, endsWithRecording: endsWithRecording, at: clock.now)
            }
            helper.send(LiveCommand(beginning: liveOutput).line)
            helper.registerRequest(for: self)
            return true
        }
    }

    /// Ends a live output.
    ///
    /// - Parameter name: Name of the output.
    /// - Returns: Whether a live output with this name was published.
    @discardableResult
    package func unpublish(_ name: String) -> Bool {
        state.withLock { state in
            guard let index = state.index(name), !state.outputs[index].isUnpublished else { return false }
            state.end(index, at: clock.now)
            if !state.entries.contains(where: { $0.name == name }) { state.session?.removeFromPlan(name) }
            return true
        }
    }

    /// Adds the cost of a live output that isn't in the profile to the session's cost.
    ///
    /// - Throws: `SessionChangeError` if the session would exceed its budget, or if the session has ended.
    func plan(_ liveOutput: LiveOutput) throws(SessionChangeError) {
        let session = state.withLock { state in
            state.entries.contains { $0.name == liveOutput.name } ? nil : state.session
        }
        try session?.addToPlan(liveOutput.planned)
    }

    /// Names of the live outputs in the session's profile, and of all others that are or were published.
    package var names: [String] {
        state.withLock { state in
            let entries = state.entries.map(\.name)
            return entries + state.outputs.map(\.liveOutput.name).filter { !entries.contains($0) }
        }
    }

    /// Returns the profile's live output with the given name; `nil` if none exists.
    func entry(_ name: String) -> LiveOutput? { state.withLock { $0.entries.first { $0.name == name } } }

    /// Returns the status of a published live output; `nil` if no output with this name is published.
    func status(_ name: String) -> LiveOutputStatus? {
        state.withLock { state in
            state.outputs.first { $0.liveOutput.name == name && !$0.isUnpublished }?.status
        }
    }

    private func handleRecordingChange(isRecording begins: Bool) {
        let due = state.withLock { state -> [LiveOutput] in
            state.isRecording = begins
            guard !begins else { return state.entries.filter { $0.start == .recording } }
            for (index, output) in state.outputs.enumerated()
            where output.endsWithRecording && !output.isUnpublished {
                state.end(index, at: clock.now)
            }
            return []
        }
        for liveOutput in due { publish(liveOutput) }
    }

    /// Ends all live outputs and the sending process, and waits at most about two seconds until the process
    /// has exited. After this call, no output can be published.
    package func end() async {
        await withCheckedContinuation { continuation in
            MediaThread.startWhenPossible(name: "live:end") { [self] in
                endAndWait()
                continuation.resume()
            }
        }
    }

    private func endAndWait() {
        helper.end()
        state.withLock { state in
            for (index, output) in state.outputs.enumerated() where !output.isUnpublished {
                state.end(index, at: clock.now)
            }
        }
    }
}

// MARK: Publishing process

extension LivePublisher: HelperOwner {
    func withRequests(_ body: ([String]) -> Void) {
        state.withLock { state in
            body(
                state.outputs.filter { !$0.isUnpublished }.map { LiveCommand(beginning: $0.liveOutput).line })
        }
    }

    var mustReportEverySecond: Bool { state.withLock { $0.outputs.contains(where: \.reportsEverySecond) } }

    func processHasEnded(_ words: String) {
        let text = "The live output program \(words)"
        let hasSession = changeAll(to: .waiting, because: text) != nil
        // If a session exists, the text is reported as an event of each output instead.
        if !hasSession { notify(text) }
    }

    func processIsMissing(_ text: String) {
        if let session = changeAll(to: .refused, because: text) { session.warn(text) } else { notify(text) }
    }

    /// Changes the state of all requested outputs.
    ///
    /// - Returns: The session; `nil` if no session exists.
    private func changeAll(to new: LiveOutputStatus.State, because text: String) -> MulticamSession? {
        state.withLock { state in
            for (index, output) in state.outputs.enumerated() where !output.isUnpublished {
                state.update(index) { $0.change(to: new, because: text, at: clock.now) }
            }
            return state.session
        }
    }

    func receive(_ line: String) {
        let report: LiveReport
        do {
            report = try JSONDecoder().decode(LiveReport.self, from: Data(line.utf8))
        } catch {
            // The message is invalid or was sent by another version. The message is ignored because later
            // messages may be readable.
            return
        }
        state.withLock { state in
            guard let index = state.index(report.live_output) else { return }
            state.update(index) { $0.apply(report, at: clock.now) }
        }
    }
}

extension LivePublisher {
    /// Executes the command `publish`.
    func performPublish(_ place: SessionCommand.PublishTarget) -> ControlReply {
        switch place {
        case .standardInput:
            return ControlReply(
                ok: false,
                text:
                    "`publish -` expects an address on the standard input of `multicam ctl`, but standard input is empty.",
                usage: true)
        case .entry(let name):
            guard let liveOutput = entry(name) else { return unknown(name) }
            return start(liveOutput)
        case .address(let address):
            return start(
                LiveOutput(name: freeName(address.kind.rawValue), address: address, start: .command))
        }
    }

    /// Executes the command `unpublish`.
    func performUnpublish(_ name: String) -> ControlReply {
        if unpublish(name) { return ControlReply(ok: true, text: "Live output \(name) was stopped.") }
        guard names.contains(name) else { return unknown(name) }
        return ControlReply(ok: true, text: "Live output \(name) is not running.")
    }

    private func start(_ liveOutput: LiveOutput) -> ControlReply {
        let name = liveOutput.name
        do throws(SessionChangeError) {
            try plan(liveOutput)
        } catch {
            return ControlReply(error)
        }
        if publish(liveOutput) {
            return ControlReply(
                ok: true,
                text:
                    "Live output \(name) was started: \(liveOutput.address.printable). To check the state, run `status`."
            )
        }
        guard let status = status(name) else {
            return ControlReply(ok: false, text: "The session is ending.")
        }
        let why = status.text.map { ": \($0)" } ?? "."
        return ControlReply(
            ok: true, text: "Live output \(name) was already started. State: \(status.state.rawValue)\(why)")
    }

    /// Returns an unused name for a live output, such as `srt` or `srt-2`.
    private func freeName(_ kind: String) -> String {
        let taken = names.filter { entry($0) != nil || status($0) != nil }
        var (name, number) = (kind, 1)
        while taken.contains(name) {
            number += 1
            name = "\(kind)-\(number)"
        }
        return name
    }

    private func unknown(_ name: String) -> ControlReply {
        let known =
            names.isEmpty ? "No live outputs are configured." : "Available: \(names.joined(separator: ", "))."
        return ControlReply(
            ok: false, text: "There is no live output named \(name.printable(limit: 64)). \(known)",
            usage: true)
    }
}

/// A current or former live output, with its state across all restarts of the sending process.
struct PublishedOutput {
    /// A counter that keeps its value when the counting process restarts.
    private struct Tally {
        private var before: Int64 = 0
        private var last: Int64 = 0

        /// Maximum plausible value, which is larger than the number of frames in a year.
        private static let maximum: Int64 = 1_000_000_000_000

        var sum: Int64 { before + last }

        mutating func update(to reported: Int64) {
            let count = min(max(reported, 0), Self.maximum)
            if count < last { before = min(sum, Self.maximum) }
            last = count
        }
    }

    private(set) var liveOutput: LiveOutput
    /// Whether the output ends with the recording.
    private(set) var endsWithRecording = false
    /// Whether the output is no longer requested. The sending process may still report the output's final
    /// counts.
    private(set) var isUnpublished = false
    private(set) var status: LiveOutputStatus
    private var sent = Tally()
    private var dropped = Tally()

    init(_ liveOutput: LiveOutput, at time: ClockTime) {
        self.liveOutput = liveOutput
        status = LiveOutputStatus(
            name: liveOutput.name, kind: liveOutput.address.kind, state: .connecting, since: time)
    }

    /// Marks the output as requested.
    mutating func begin(_ liveOutput: LiveOutput, endsWithRecording: Bool, at time: ClockTime) {
        (self.liveOutput, self.endsWithRecording) = (liveOutput, endsWithRecording)
        isUnpublished = false
        change(to: .connecting, at: time)
    }

    /// Marks the output as no longer requested.
    mutating func end(at time: ClockTime) {
        isUnpublished = true
        change(to: .ended, at: time)
    }

    /// Whether the sending process reports the state of the output every second.
    var reportsEverySecond: Bool { !isUnpublished && status.state != .refused }

    /// Applies a report from the sending process.
    mutating func apply(_ report: LiveReport, at now: ClockTime) {
        // The final report of an earlier connection is ignored if the output has been requested again.
        guard isUnpublished || report.state != .ended else { return }
        sent.update(to: report.sent_frames)
        dropped.update(to: report.dropped_frames)
        (status.sentFrames, status.droppedFrames) = (sent.sum, dropped.sum)
        status.bitrate = report.state == .connected ? max(report.bitrate, 0) : nil
        // An output that is no longer requested counts as ended, regardless of the state of its connection.
        guard !isUnpublished else { return }
        change(
            to: LiveOutputStatus.State(report.state), because: report.text,
            at: min(ClockTime(nanoseconds: max(report.at_ns, 0)), now))
    }

    /// Changes the state and its reason.
    mutating func change(to state: LiveOutputStatus.State, because text: String? = nil, at time: ClockTime) {
        if state != .connected { status.bitrate = nil }
        // The new state can't begin before the previous state began.
        if state != status.state { status.since = max(time, status.since) }
        (status.state, status.text) = (state, text?.printable(limit: 400))
    }
}

extension LiveOutputStatus.State {
    fileprivate init(_ state: LiveReport.State) {
        self =
            switch state {
            case .connecting: .connecting
            case .connected: .connected
            case .waiting: .waiting
            case .refused: .refused
            case .ended: .ended
            }
    }
}

extension LiveCommand {
    /// The command that starts a live output, including its keys.
    init(beginning liveOutput: LiveOutput) {
        self.init(
            publish: LiveRequest(
                name: liveOutput.name, url: Secret(liveOutput.address.text), of: liveOutput.source,
                video: liveOutput.frames.map {
                    LiveVideo(size: $0.size, rate: $0.rate, bitrate: $0.bitrate)
                },
                token: liveOutput.token, standby: liveOutput.start != .recording))
    }

    /// The command as a line of JSON. Write this line only to the standard input of the sending process.
    var line: String { JSONText.line(self) }
}
