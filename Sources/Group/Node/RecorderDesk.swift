internal import Control
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Processes
internal import SessionFolder

/// The node's recorder: a `multicam record --standby` of its own that goes on when this process dies, and is found again. Safe to use from
/// any thread.
final class RecorderDesk: Sendable {
    /// What is kept of it on the disk.
    private struct Kept: Codable {
        var process: Int32
        var profile: String
    }

    private struct State {
        var process: Int32?
        var profile: String
        /// The exit status of the recorder that ended last, and what it said last.
        var ended: (status: Int32, words: String)?
    }

    private let folder: GroupFolder
    private let program: String
    private let arguments: [String]
    private let state: ConditionLock<State>
    /// One at a time has the recorder started or ended.
    private let turn = ConditionLock(false)

    private static let keptName = "recorder.json"
    /// How long devices may take until they stand by.
    private static let patience = Nanoseconds.seconds(30)

    /// Finds the recorder that runs already; none is started.
    ///
    /// - Parameters:
    ///   - folder: The group's folder.
    ///   - program: Path of `multicam`.
    ///   - profile: The node's own profile.
    ///   - arguments: What else `record` is told.
    init(_ folder: GroupFolder, program: String, profile: String, arguments: [String]) {
        (self.folder, self.program, self.arguments) = (folder, program, arguments)
        var first = State(profile: profile)
        do throws(GroupError) {
            let kept = try folder.decode(Kept.self, from: Self.keptName)
            if ControlClient().status(of: kept.process) != nil {
                (first.process, first.profile) = (kept.process, kept.profile)
            }
        } catch {
            // None was started yet.
        }
        state = ConditionLock(first)
    }

    /// How it goes; `nil` when no recorder runs.
    var status: ControlStatus? { state.withLock(\.process).flatMap { ControlClient().status(of: $0) } }

    /// Says the words of `multicam ctl` to the recorder, and waits for its answer.
    ///
    /// - Throws: `GroupError` when there is none, or the words make no sense.
    func ask(_ words: [String]) throws(GroupError) -> ControlReply {
        guard let process = state.withLock(\.process) else {
            throw GroupError("no recorder runs here at the moment.")
        }
        do throws(ControlError) {
            return try ControlClient().ask(try CommandRequest(words: words), process: process)
        } catch {
            throw GroupError(error.description, status: { if case .usage = error { 2 } else { 1 } }())
        }
    }

    /// Has a recorder stand by with a profile; one with another profile is ended first, unless it records. Blocks until it stands by.
    ///
    /// - Parameter profile: The profile; `nil` for that of the recorder that runs, or was started last.
    /// - Returns: How it goes.
    /// - Throws: `GroupError` with the reason why none stands by, and the exit status of the recorder.
    func standBy(with profile: String?) throws(GroupError) -> ControlStatus {
        turn.wait { isTaken -> Void? in
            guard !isTaken else { return nil }
            isTaken = true
            return ()
        }
        defer { turn.broadcast { $0 = false } }
        let present = state.withLock(\.profile)
        let wanted = profile ?? present
        if let status {
            if wanted == present { return try waitUntilItStandsBy() }
            guard status.state != .recording, status.state != .finishing else {
                throw GroupError("it records with the profile \(present) at the moment.")
            }
            try quit()
        }
        try start(wanted)
        return try waitUntilItStandsBy()
    }

    private func start(_ profile: String) throws(GroupError) {
        let child: ChildProcess
        do throws(ProcessError) {
            child = try ChildProcess(
                program, ["record", "--standby", "--profile", profile] + arguments)
        } catch {
            throw GroupError(error.description)
        }
        state.withLock { state in
            state.process = child.process
            state.profile = profile
            state.ended = nil
        }
        let words = ConditionLock("")
        child.readMessages { line in
            // The status line says the same again and again.
            guard !line.contains("│") else { return }
            let sentence = line.hasPrefix("multicam: ") ? String(line.dropFirst(10)) : line
            words.withLock { $0 = sentence.printable(limit: 1000) }
            Talk.say("recorder: \(sentence)")
        }
        child.readOutput { _ in }
        child.finish()
        _ = MediaThread(name: "recorder:end") { [state] in
            let status = child.wait()
            state.broadcast { state in
                guard state.process == child.process else { return }
                state.process = nil
                state.ended = (status, words.withLock { $0 })
            }
        }
        do throws(GroupError) {
            try folder.encode(Kept(process: child.process, profile: profile), to: Self.keptName)
        } catch {
            Talk.say("\(error)")
        }
    }

    private func waitUntilItStandsBy() throws(GroupError) -> ControlStatus {
        let clock = MonotonicClock()
        let deadline = clock.now + Self.patience
        repeat {
            if let ended = state.withLock(\.ended) {
                throw GroupError(
                    ended.words.isEmpty
                        ? "the recorder has ended with exit status \(ended.status)." : ended.words,
                    status: ended.status == 0 ? 1 : ended.status)
            }
            if let status, status.state != .starting { return status }
            clock.sleep(until: clock.now + .milliseconds(50), unless: Cancellation())
        } while clock.now < deadline
        throw GroupError(
            "its devices have not been ready within \(Int(Self.patience.inSeconds)) s.", status: 3)
    }

    /// Ends the recorder and its recording. Blocks until it has ended, for at most half a minute.
    ///
    /// - Throws: `GroupError` when it does not end.
    func quit() throws(GroupError) {
        guard let process = state.withLock(\.process) else { return }
        _ = try ask(["quit"])
        let clock = MonotonicClock()
        let deadline = clock.now + Self.patience
        while clock.now < deadline {
            if kill(process, 0) != 0 { break }
            if state.withLock({ $0.process != process }) { return }
            clock.sleep(until: clock.now + .milliseconds(50), unless: Cancellation())
        }
        guard kill(process, 0) != 0 else { throw GroupError("the recorder does not end.") }
        state.withLock { if $0.process == process { $0.process = nil } }
    }
}
