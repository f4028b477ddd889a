internal import FoundationEssentials
internal import Glibc
internal import Media
public import MediaServing
internal import Plan
internal import Processes
internal import Profiles
public import Session
internal import SessionFolder
public import Setup

/// Sends a session's program or cameras live, by a process of its own, `multicam-live`, which takes them from the media socket.
///
///     let publisher = LivePublisher(of: mediaServer)
///     publisher.serve(session, setup.publications)
///     publisher.publish(Publication(name: "show", address: try DestinationAddress(address)))
///     let result = try await session.record()
///     await publisher.end()
///
/// That process begins with the first output that is wanted. When it dies or hangs it is started again and told anew what is wanted; no
/// recording waits for it. Keys reach it on its standard input alone. Safe to use from any thread.
public final class LivePublisher: Sendable {
    private struct State {
        var session: MulticamSession?
        /// What the session's profile names.
        var entries: [Publication] = []
        /// What is or was wanted, in the order in which it was first wanted.
        var outputs: [LiveOutput] = []
        var isRecording = false
        let helper: HelperProcess

        func index(_ name: String) -> Int? { outputs.firstIndex { $0.publication.name == name } }

        /// Changes an output, and tells the session.
        mutating func update(_ index: Int, _ body: (inout LiveOutput) -> Void) {
            body(&outputs[index])
            session?.note(outputs[index].status)
        }

        mutating func end(_ index: Int, at time: ClockTime) {
            update(index) { $0.end(at: time) }
            helper.say(LiveCommand(unpublish: outputs[index].publication.name).line)
        }
    }

    private let say: @Sendable (String) -> Void
    private let clock = MonotonicClock()
    private let helper: HelperProcess
    private let state: ConditionLock<State>

    private static let programName = "multicam-live"

    /// Creates a publisher; no process is started yet.
    ///
    /// - Parameters:
    ///   - server: The media server from which the process takes frames, audio and packets.
    ///   - program: Path of `multicam-live`; `nil` finds it where multicam is installed or built.
    ///   - withheld: Names of variables of this process, such as those that hold keys, which the process does not get.
    ///   - say: Receives sentences for the user, on any thread.
    public convenience init(
        of server: MediaServer, program: String? = nil, withholding withheld: Set<String> = [],
        saying say: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            socket: server.path, program: program ?? ProgramPath.beside(Self.programName),
            withholding: withheld, saying: say)
    }

    package init(
        socket: String, program: String?, withholding withheld: Set<String> = [],
        saying say: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.say = say
        helper = HelperProcess(
            Self.programName, thread: "live", lack: "nothing is published: the program for it",
            socket: socket, program: program, withholding: withheld, saying: say)
        state = ConditionLock(State(helper: helper))
    }

    // MARK: What is wanted

    /// Serves a session from now on, before it records: what its profile begins with the session is wanted at once, and what it begins with
    /// a recording while one runs. What was wanted before stays wanted.
    ///
    /// - Parameters:
    ///   - session: The session, or `nil` when there is none for now.
    ///   - publications: The live outputs of its profile, `SessionSetup.publications`.
    public func serve(_ session: MulticamSession?, _ publications: [Publication] = []) {
        let (before, wanted) = state.withLock { state in
            let before = state.session
            (state.session, state.isRecording) = (session, false)
            if session != nil { state.entries = publications }
            let wanted = state.outputs.filter { !$0.isLeaving }
            for output in wanted { session?.note(output.status) }
            return (before, wanted.map(\.publication))
        }
        before?.followRecordings(nil)
        guard let session else { return }
        for publication in wanted where !publications.contains(where: { $0.name == publication.name }) {
            session.count(publication.planned)
        }
        session.followRecordings { [weak self] begins in self?.follow(recording: begins) }
        for publication in publications where publication.start == .session { publish(publication) }
    }

    /// Begins a live output. One that a profile begins with a recording ends with it, too.
    ///
    /// - Parameter publication: What to send where.
    /// - Returns: Whether it was begun; `false` when one of this name is published already.
    @discardableResult
    public func publish(_ publication: Publication) -> Bool {
        state.withLock { state in
            let index = state.index(publication.name)
            guard !helper.isEnding, index.map({ state.outputs[$0].isLeaving }) ?? true else { return false }
            let endsWithRecording = publication.start == .recording && state.isRecording
            if index == nil { state.outputs.append(LiveOutput(publication, at: clock.now)) }
            state.update(index ?? state.outputs.count - 1) {
                $0.begin(publication, endsWithRecording: endsWithRecording, at: clock.now)
            }
            helper.say(LiveCommand(beginning: publication).line)
            helper.want(for: self)
            return true
        }
    }

    /// Ends a live output.
    ///
    /// - Parameter name: Its name.
    /// - Returns: Whether it was published.
    @discardableResult
    public func unpublish(_ name: String) -> Bool {
        state.withLock { state in
            guard let index = state.index(name), !state.outputs[index].isLeaving else { return false }
            state.end(index, at: clock.now)
            if !state.entries.contains(where: { $0.name == name }) { state.session?.unplan(name) }
            return true
        }
    }

    /// Has the session count what a live output costs that its profile does not name.
    ///
    /// - Throws: `SessionChangeError` when the session would be over budget, or is over.
    func plan(_ publication: Publication) throws(SessionChangeError) {
        let session = state.withLock { state in
            state.entries.contains { $0.name == publication.name } ? nil : state.session
        }
        try session?.plan(publication.planned)
    }

    /// Names of the live outputs of the session's profile, and of those that are or were published beside them.
    public var names: [String] {
        state.withLock { state in
            let entries = state.entries.map(\.name)
            return entries + state.outputs.map(\.publication.name).filter { !entries.contains($0) }
        }
    }

    /// The live output of the session's profile that has a name; `nil` when there is none.
    func entry(_ name: String) -> Publication? { state.withLock { $0.entries.first { $0.name == name } } }

    /// The state of a live output that is published; `nil` when it is not.
    func status(_ name: String) -> PublicationStatus? {
        state.withLock { state in
            state.outputs.first { $0.publication.name == name && !$0.isLeaving }?.status
        }
    }

    private func follow(recording begins: Bool) {
        let due = state.withLock { state -> [Publication] in
            state.isRecording = begins
            guard !begins else { return state.entries.filter { $0.start == .recording } }
            for (index, output) in state.outputs.enumerated()
            where output.endsWithRecording && !output.isLeaving {
                state.end(index, at: clock.now)
            }
            return []
        }
        for publication in due { publish(publication) }
    }

    /// Ends all live outputs and the process that sends; waits for it for at most some two seconds. Nothing is published afterwards.
    public func end() async {
        await withCheckedContinuation { continuation in
            _ = MediaThread(name: "live:end") { [self] in
                endAndWait()
                continuation.resume()
            }
        }
    }

    private func endAndWait() {
        helper.end()
        state.withLock { state in
            for (index, output) in state.outputs.enumerated() where !output.isLeaving {
                state.end(index, at: clock.now)
            }
        }
    }
}

// MARK: The process

extension LivePublisher: HelperOwner {
    func withWishes(_ body: ([String]) -> Void) {
        state.withLock { state in
            body(state.outputs.filter { !$0.isLeaving }.map { LiveCommand(beginning: $0.publication).line })
        }
    }

    var isToldEachSecond: Bool { state.withLock { $0.outputs.contains(where: \.isFollowed) } }

    func processHasEnded(_ words: String) {
        let text = "the program that publishes \(words)"
        let hasSession = changeAll(to: .waiting, because: text) != nil
        // A session tells it as an event of each output.
        if !hasSession { say(text) }
    }

    func processIsMissing(_ text: String) {
        if let session = changeAll(to: .refused, because: text) { session.warn(text) } else { say(text) }
    }

    /// Changes the state of all that is wanted.
    ///
    /// - Returns: The session; `nil` when there is none now.
    private func changeAll(to new: PublicationStatus.State, because text: String) -> MulticamSession? {
        state.withLock { state in
            for (index, output) in state.outputs.enumerated() where !output.isLeaving {
                state.update(index) { $0.change(to: new, because: text, at: clock.now) }
            }
            return state.session
        }
    }

    func hear(_ line: String) {
        let report: LiveReport
        do {
            report = try JSONDecoder().decode(LiveReport.self, from: Data(line.utf8))
        } catch {
            // Of another version, or none: what it tells next may be understood.
            return
        }
        state.withLock { state in
            guard let index = state.index(report.publication) else { return }
            state.update(index) { $0.take(report, at: clock.now) }
        }
    }
}
