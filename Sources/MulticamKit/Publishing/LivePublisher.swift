internal import FoundationEssentials
internal import Glibc
internal import Media
public import MediaLink
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
        var child: ChildProcess?
        /// When the process last told something.
        var heard = ClockTime(nanoseconds: 0)
        var thread: MediaThread?
        /// Counts what was wanted, so that a thread that gave up sees that it is asked again.
        var wishes = 0
        /// How often in a row the process has died soon.
        var earlyDeaths = 0
        var isEnding = false

        func index(_ name: String) -> Int? { outputs.firstIndex { $0.publication.name == name } }
        var isAnythingWanted: Bool { outputs.contains { !$0.isLeaving } }

        /// Changes an output, and tells the session.
        mutating func update(_ index: Int, _ body: (inout LiveOutput) -> Void) {
            body(&outputs[index])
            session?.note(outputs[index].status)
        }

        mutating func end(_ index: Int, at time: ClockTime) {
            update(index) { $0.end(at: time) }
            child?.say(LiveCommand(unpublish: outputs[index].publication.name).line)
        }
    }

    private let socket: String
    private let program: String?
    private let withheld: Set<String>
    private let say: @Sendable (String) -> Void
    private let clock = MonotonicClock()
    private let state = ConditionLock(State())
    private let ending = Cancellation()

    private static let programName = "multicam-live"
    /// The pause before the process is started again the first time.
    private static let firstPause = Nanoseconds.milliseconds(200)
    /// The pause before the process is started again when it dies soon each time.
    private static let pause = Nanoseconds.seconds(1)
    /// A process that lives for so long has not died soon.
    private static let soundLife = Nanoseconds.seconds(10)
    /// The process tells something each second while anything is wanted; when it is silent for so long, it hangs.
    private static let longestSilence = Nanoseconds.seconds(10)
    /// How long the process may take to close its connections at the end.
    private static let patience = Nanoseconds.milliseconds(1500)

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
        (self.socket, self.program) = (socket, program)
        (self.withheld, self.say) = (withheld, say)
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
        state.broadcast { state in
            let index = state.index(publication.name)
            guard !state.isEnding, index.map({ state.outputs[$0].isLeaving }) ?? true else { return false }
            let endsWithRecording = publication.start == .recording && state.isRecording
            if index == nil { state.outputs.append(LiveOutput(publication, at: clock.now)) }
            state.update(index ?? state.outputs.count - 1) {
                $0.begin(publication, endsWithRecording: endsWithRecording, at: clock.now)
            }
            state.wishes += 1
            state.child?.say(LiveCommand(beginning: publication).line)
            if state.thread == nil {
                state.thread = MediaThread(name: "live") { [self] in while run() {} }
            }
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
        let (child, thread) = state.broadcast { state in
            state.isEnding = true
            return (state.child, state.thread)
        }
        ending.cancel()
        child?.finish()
        let isOver = state.wait(until: clock.now + Self.patience) { $0.child == nil ? true : nil } ?? false
        if !isOver { state.withLock(\.child)?.signal(SIGKILL) }
        thread?.join()
        state.withLock { state in
            for (index, output) in state.outputs.enumerated() where !output.isLeaving {
                state.end(index, at: clock.now)
            }
        }
    }

    // MARK: The process, on the thread `live`

    /// Runs the process once, when something is wanted.
    ///
    /// - Returns: Whether to go on.
    private func run() -> Bool {
        let goesOn = state.wait { state in state.isEnding ? false : state.isAnythingWanted ? true : nil }
        guard goesOn else { return false }
        let began = clock.now
        let ended = ConditionLock(false)
        guard let child = start(whenOver: { ended.broadcast { $0 = true } }) else { return waitForWish() }
        let watch = watch(child)
        let status = child.wait()
        watch.cancel()
        // Its last lines are read, unless a program that it has started keeps the pipe open.
        ended.wait(until: clock.now + .seconds(1)) { $0 ? () : nil }
        let pause = state.broadcast { state -> Nanoseconds? in
            state.child = nil
            guard !state.isEnding else { return nil }
            for (index, output) in state.outputs.enumerated() where !output.isLeaving {
                state.update(index) {
                    $0.change(to: .waiting, because: Self.sentence(status), at: clock.now)
                }
            }
            state.earlyDeaths = clock.now - began > Self.soundLife ? 0 : state.earlyDeaths + 1
            return state.earlyDeaths > 1 ? Self.pause : Self.firstPause
        }
        guard let pause else { return false }
        // A session tells it as an event of each output.
        if state.withLock({ $0.session == nil }) { say(Self.sentence(status)) }
        clock.sleep(until: clock.now + pause, unless: ending)
        return true
    }

    private func start(whenOver: @escaping @Sendable () -> Void) -> ChildProcess? {
        do throws(ProcessError) {
            guard let program, access(program, X_OK) == 0 else {
                let name = program?.printable(limit: 1000) ?? Self.programName
                throw ProcessError(
                    "nothing is published: the program for it, \(name), is not there. Build it with `swift build`, or install the package multicam-studio."
                )
            }
            let child = try ChildProcess(program, ["--socket", socket], withholding: withheld.contains)
            state.broadcast { state in
                (state.child, state.heard) = (child, clock.now)
                // Under the lock, so that what is wanted next is said after it.
                for output in state.outputs where !output.isLeaving {
                    child.say(LiveCommand(beginning: output.publication).line)
                }
                if state.isEnding { child.finish() }
            }
            child.readOutput({ [weak self] line in self?.take(line, from: child) }, whenOver: whenOver)
            child.readMessages { [say] line in say("\(Self.programName): \(line.printable(limit: 1000))") }
            return child
        } catch {
            refuse(because: error.description)
            return nil
        }
    }

    private func refuse(because text: String) {
        let session = state.withLock { state in
            for (index, output) in state.outputs.enumerated() where !output.isLeaving {
                state.update(index) { $0.change(to: .refused, because: text, at: clock.now) }
            }
            return state.session
        }
        if let session { session.warn(text) } else { say(text) }
    }

    /// Waits until something more is wanted, since the program may be there then.
    private func waitForWish() -> Bool {
        let before = state.withLock(\.wishes)
        return state.wait { state in state.isEnding ? false : state.wishes != before ? true : nil }
    }

    /// Kills the process when it is silent for too long while something is wanted.
    private func watch(_ child: ChildProcess) -> Cancellation {
        let done = Cancellation()
        _ = MediaThread(name: "live:watch") { [state, clock] in
            while clock.sleep(until: clock.now + .seconds(1), unless: done) {
                let isSilent = state.withLock { state in
                    if !state.outputs.contains(where: \.isFollowed) { state.heard = clock.now }
                    return clock.now - state.heard > Self.longestSilence
                }
                if isSilent { child.signal(SIGKILL) }
            }
        }
        return done
    }

    private func take(_ line: String, from child: ChildProcess) {
        let report: LiveReport
        do {
            report = try JSONDecoder().decode(LiveReport.self, from: Data(line.utf8))
        } catch {
            // Of another version, or none: what it tells next may be understood.
            return
        }
        state.withLock { state in
            guard state.child === child else { return }
            state.heard = clock.now
            guard let index = state.index(report.publication) else { return }
            state.update(index) { $0.take(report, at: clock.now) }
        }
    }

    private static func sentence(_ status: Int32) -> String {
        let words = status > 128 ? "by signal \(status - 128)" : "with exit status \(status)"
        return "the program that publishes has ended \(words), and is started again."
    }
}
