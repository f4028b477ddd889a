internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// The node's recorder: a separate `multicam record --standby` process. The recorder keeps running when this
/// process ends, and the next process finds it again. Safe to use from any thread.
///
/// A working recorder is replaced only if its replacement is expected to work. Two recorders can't use the
/// same devices at the same time, so the new profile is checked before the old recorder is stopped. If the
/// new recorder still fails to reach standby, a recorder with the previous profile is started again.
final class RecorderSupervisor: Sendable {
    private struct State {
        var process: Int32?
        /// ID of the recorder process that this program started. When this process ends, `ended` is set.
        var started: Int32?
        /// Profile of the current recorder, or of the last recorder if none is running.
        var profile: String
        /// Profile of the last recorder that reached standby.
        var proven: String
        /// Process ID, exit status, and last message of the recorder that ended last.
        var ended: (process: Int32, status: Int32, words: String)?
    }

    private let host: any RecorderHost
    private let clock: any SessionClock
    /// The node's default profile.
    private let ownProfile: String
    private let state: ConditionLock<State>
    /// Lock that allows only one thread at a time to start or stop the recorder.
    private let isChangingProcess = ConditionLock(false)

    /// Maximum time for a recorder and its devices to reach standby.
    private static let timeout = Nanoseconds.seconds(30)
    private static let interval = Nanoseconds.milliseconds(50)

    /// Finds a running recorder without starting one.
    ///
    /// - Parameters:
    ///   - host: Interface for starting and finding recorders.
    ///   - profile: The node's default profile.
    ///   - clock: The clock used for waiting.
    init(_ host: any RecorderHost, profile: String, clock: any SessionClock = MonotonicClock()) {
        (self.host, self.ownProfile, self.clock) = (host, profile, clock)
        let running = host.running()
        // Several recorders can be running if this program died while it was replacing a recorder. A recorder
        // that is recording takes precedence.
        let present =
            running.first { RecorderActivity(host.status(of: $0.process), isAlive: true).isRecording }
            ?? running.first
        state = ConditionLock(
            State(process: present?.process, profile: present?.profile ?? profile, proven: profile))
    }

    /// The recorder's status; `nil` if no recorder is running or the recorder doesn't respond.
    var status: ControlStatus? { state.withLock(\.process).flatMap { host.status(of: $0) } }

    /// Whether a recorder is running, even if the recorder doesn't respond.
    var isAlive: Bool { state.withLock(\.process).map { host.isAlive($0) } ?? false }

    /// Sends a `multicam ctl` command to the recorder and waits for the response.
    ///
    /// - Parameters:
    ///   - words: The command and its arguments.
    ///   - isFromGroup: Whether the command comes from another computer. If `true`, the recorder refuses
    ///     commands that other computers in the group aren't allowed to send.
    /// - Returns: The recorder's response.
    /// - Throws: `GroupError` if no recorder responds.
    func send(_ words: [String], isFromGroup: Bool = false) throws(GroupError) -> ControlReply {
        guard let process = state.withLock(\.process) else {
            throw GroupError("the recorder is not running.")
        }
        return try host.send(CommandRequest(arguments: words, isFromGroup: isFromGroup), to: process)
    }

    /// Puts a recorder on standby with a profile. A recorder with a different profile is replaced, unless it
    /// is recording. Blocks until a recorder is on standby.
    ///
    /// - Parameter profile: The profile; `nil` for the profile of the current recorder or of the last one on
    ///   standby.
    /// - Returns: The recorder's status.
    /// - Throws: `GroupError` with the reason why no recorder with this profile is on standby, and with the
    ///   recorder's exit status. After such an error, a recorder with the previous profile is put on standby
    ///   if possible.
    func standBy(with profile: String?) throws(GroupError) -> ControlStatus {
        isChangingProcess.wait { isTaken -> Void? in
            guard !isTaken else { return nil }
            isTaken = true
            return ()
        }
        defer { isChangingProcess.broadcast { $0 = false } }
        let present = state.withLock { $0 }
        guard let process = present.process, host.isAlive(process) else {
            let wanted = profile ?? present.proven
            // A recorder's messages are printed by this process, but messages from the profile check aren't.
            if let profile { try host.check(profile) }
            // Remaining recorders are stopped, because after an unexpected exit, they may still occupy the
            // devices.
            for (other, _) in host.running() { end(other) }
            return try start(wanted, orElse: [present.proven, ownProfile])
        }
        let wanted = profile ?? present.profile
        guard wanted != present.profile else {
            do throws(GroupError) {
                return try waitForStandby()
            } catch {
                // A running recorder isn't replaced, because its devices may become available again. A
                // recorder that has ended is replaced.
                guard !host.isAlive(process) else { throw error }
                return try start(wanted, orElse: [present.proven, ownProfile])
            }
        }
        if RecorderActivity(host.status(of: process), isAlive: true).isRecording {
            throw GroupError(
                "this node is recording with the profile \(present.profile.printable(limit: 200)).")
        }
        try host.check(wanted)
        try quit()
        return try start(wanted, orElse: [present.profile, present.proven, ownProfile])
    }

    /// Starts a recorder and waits until it is on standby.
    ///
    /// - Parameters:
    ///   - wanted: The profile to use.
    ///   - others: Fallback profiles, which are tried in this order so that the node remains usable.
    /// - Returns: The recorder's status.
    /// - Throws: `GroupError` if no recorder with the wanted profile reaches standby.
    private func start(_ wanted: String, orElse others: [String]) throws(GroupError) -> ControlStatus {
        let failure: GroupError
        do throws(GroupError) {
            return try start(wanted)
        } catch {
            failure = error
        }
        for other in others where other != wanted {
            do throws(GroupError) {
                _ = try start(other)
            } catch {
                continue
            }
            throw GroupError(
                "\(failure) The recorder has returned to standby with the profile \(other.printable(limit: 200)).",
                status: failure.status)
        }
        throw failure
    }

    private func start(_ profile: String) throws(GroupError) -> ControlStatus {
        let process = try host.start(profile) { [state] process, status, words in
            state.broadcast { state in
                if state.process == process { state.process = nil }
                state.ended = (process, status, words)
            }
        }
        state.withLock { state in
            // The recorder process may already have ended.
            state.process = state.ended?.process == process ? nil : process
            state.started = process
            state.profile = profile
        }
        do throws(GroupError) {
            return try waitForStandby()
        } catch {
            end(process)
            throw error
        }
    }

    private func waitForStandby() throws(GroupError) -> ControlStatus {
        let (process, isOwn) = state.withLock { state in
            let process = state.process ?? state.ended?.process
            return (process, process == state.started)
        }
        let deadline = clock.now + Self.timeout
        repeat {
            if let process, let status = host.status(of: process), status.state != .starting {
                state.withLock { $0.proven = $0.profile }
                return status
            }
            if let ended = state.withLock(\.ended), ended.process == process {
                throw GroupError(
                    ended.words.isEmpty
                        ? "the recorder exited with status \(ended.status)." : ended.words,
                    status: ended.status == 0 ? 1 : ended.status)
            }
            // A recorder that was just started can't be found yet, because /proc shows no environment during
            // execve(2). The exit status of a recorder that another process started isn't available.
            guard let process, isOwn || host.isAlive(process) else {
                state.withLock { if $0.process == process { $0.process = nil } }
                throw GroupError("the recorder exited.")
            }
            clock.sleep(until: clock.now + Self.interval, unless: Cancellation())
        } while clock.now < deadline
        throw GroupError(
            "the recorder's devices were not ready within \(Int64(rounding: Self.timeout.inSeconds)) s.",
            status: 3
        )
    }

    /// Stops the recorder and its recording. Blocks until the recorder has ended, for 30 seconds at most.
    ///
    /// - Throws: `GroupError` if the recorder doesn't end.
    func quit() throws(GroupError) {
        guard let process = state.withLock(\.process), host.isAlive(process) else { return }
        _ = try host.send(CommandRequest(arguments: ["quit"]), to: process)
        guard waitForEnd(of: process, Self.timeout) else { throw GroupError("the recorder did not stop.") }
    }

    /// Stops a recorder that isn't recording, even if the recorder is unresponsive.
    private func end(_ process: Int32) {
        guard !RecorderActivity(host.status(of: process), isAlive: true).isRecording else { return }
        for (number, time) in [
            (SIGTERM, Nanoseconds.seconds(5)), (SIGTERM, .seconds(3)), (SIGKILL, .seconds(2)),
        ] {
            host.signal(number, to: process)
            if waitForEnd(of: process, time) { return }
        }
    }

    private func waitForEnd(of process: Int32, _ time: Nanoseconds) -> Bool {
        let deadline = clock.now + time
        while host.isAlive(process) {
            guard clock.now < deadline else { return false }
            clock.sleep(until: clock.now + Self.interval, unless: Cancellation())
        }
        state.withLock { if $0.process == process { $0.process = nil } }
        return true
    }
}

/// Interface for starting, finding, and controlling recorder processes. `RecorderSupervisor` decides when to
/// start and stop recorders. Tests use an implementation that doesn't start any processes.
protocol RecorderHost: Sendable {
    /// Checks whether a recorder with a profile could reach standby, without opening its devices.
    ///
    /// - Throws: `GroupError` with the reason if the recorder couldn't reach standby.
    func check(_ profile: String) throws(GroupError)
    /// Starts a recorder.
    ///
    /// - Parameters:
    ///   - profile: The recorder's profile.
    ///   - ended: Called on another thread after the recorder has ended, with its exit status and last message.
    /// - Returns: The recorder's process ID.
    /// - Throws: `GroupError` if the system can't start the process.
    func start(
        _ profile: String,
        ended: @escaping @Sendable (_ process: Int32, _ status: Int32, _ words: String) -> Void
    ) throws(GroupError) -> Int32
    /// Returns this node's running recorders, including those started by other processes.
    func running() -> [(process: Int32, profile: String)]
    /// Whether a process is a running recorder of this node.
    func isAlive(_ process: Int32) -> Bool
    /// Returns a recorder's status; `nil` if the recorder doesn't respond.
    func status(of process: Int32) -> ControlStatus?
    /// Sends a `multicam ctl` command to a recorder and waits for the response.
    ///
    /// - Throws: `GroupError` if the recorder doesn't respond.
    func send(_ request: CommandRequest, to process: Int32) throws(GroupError) -> ControlReply
    /// Sends a signal to a recorder.
    func signal(_ number: Int32, to process: Int32)
}

/// Runs recorders as `multicam record --standby` processes. Each process has an environment variable that
/// contains the path of the group's folder, so this program can find the process again after a crash. The
/// search works even if this program crashes before the recorder has created its first file.
struct RecorderProcesses: RecorderHost {
    let folder: GroupFolder
    /// Path of `multicam`.
    let program: String
    /// Additional arguments for `record`.
    let arguments: [String]

    private static let variable = "MULTICAM_NODE_OF"

    private var mark: String { "\(Self.variable)=\(folder.path)" }

    func check(_ profile: String) throws(GroupError) {
        let (status, words) = try run(["plan", "--profile", profile] + arguments)
        guard status != 0 else { return }
        throw GroupError(
            words.isEmpty
                ? "the profile \(profile.printable(limit: 200)) cannot be used on this computer." : words,
            status: status)
    }

    private func run(_ words: [String]) throws(GroupError) -> (status: Int32, words: String) {
        let last = ConditionLock("")
        let over = Cancellation()
        do throws(ProcessError) {
            let child = try ChildProcess(program, words)
            child.readOutput { _ in }
            child.readMessages(
                { line in last.withLock { $0 = Self.sentence(line).printable(limit: 1000) } },
                whenOver: { over.cancel() })
            child.closeInput()
            let status = child.wait()
            _ = over.wait(until: MonotonicClock().now + .seconds(2))
            return (status, last.withLock { $0 })
        } catch {
            throw GroupError(error.description)
        }
    }

    private static func sentence(_ line: String) -> String {
        line.hasPrefix("multicam: ") ? String(line.dropFirst(10)) : line
    }

    func start(
        _ profile: String, ended: @escaping @Sendable (Int32, Int32, String) -> Void
    ) throws(GroupError) -> Int32 {
        let child: ChildProcess
        do throws(ProcessError) {
            child = try ChildProcess(
                program, ["record", "--standby", "--profile", profile] + arguments, variables: [mark],
                withholding: { $0 == Self.variable })
        } catch {
            throw GroupError(error.description)
        }
        let (words, over) = (ConditionLock(""), Cancellation())
        child.readMessages(
            { line in
                // Status lines aren't forwarded, because the recorder repeats them continuously.
                guard !line.contains("│") else { return }
                let sentence = Self.sentence(line)
                words.withLock { $0 = sentence.printable(limit: 1000) }
                ConsoleOutput.writeMessage("recorder: \(sentence)")
            }, whenOver: { over.cancel() })
        child.readOutput { _ in }
        child.closeInput()
        MediaThread.startWhenPossible(name: "recorder:end") {
            let status = child.wait()
            // Wait for the recorder's last messages, which may still be in the pipe.
            _ = over.wait(until: MonotonicClock().now + .seconds(1))
            ended(child.processID, status, words.withLock { $0 })
        }
        return child.processID
    }

    func running() -> [(process: Int32, profile: String)] {
        FolderListing.names(in: "/proc").compactMap { Int32($0) }.sorted().compactMap { process in
            profile(of: process).map { (process, $0) }
        }
    }

    func isAlive(_ process: Int32) -> Bool { profile(of: process) != nil }

    /// Returns the profile of a recorder process of this node; `nil` if the process isn't such a recorder.
    private func profile(of process: Int32) -> String? {
        guard Self.texts("/proc/\(process)/environ").contains(mark) else { return nil }
        let words = Self.texts("/proc/\(process)/cmdline")
        guard words.count > 4, words[1] == "record", words[2] == "--standby", words[3] == "--profile" else {
            return nil
        }
        return words[4]
    }

    /// Returns the NUL-separated strings in a file under /proc. The result is empty if the process has ended
    /// or this user can't read the file.
    private static func texts(_ path: String) -> [String] {
        guard let bytes = FileManager.default.contents(atPath: path) else { return [] }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    func status(of process: Int32) -> ControlStatus? { ControlClient().status(of: process) }

    func send(_ request: CommandRequest, to process: Int32) throws(GroupError) -> ControlReply {
        do throws(ControlError) {
            return try ControlClient().send(request, process: process)
        } catch {
            throw GroupError(error.description, status: { if case .usage = error { 2 } else { 1 } }())
        }
    }

    func signal(_ number: Int32, to process: Int32) { if isAlive(process) { kill(process, number) } }
}
