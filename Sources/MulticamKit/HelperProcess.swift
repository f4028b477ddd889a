internal import Glibc
internal import Media
internal import SessionFolder
internal import System

/// A multicam helper program that works with a session through its media socket. The helper starts with its
/// owner's first request. If the helper crashes or hangs, it is restarted and receives all current requests
/// again. Callers never wait for the helper. Secrets are passed only on the helper's standard input.
///
/// Thread-safe. The owner may hold its own lock when calling `registerRequest`, `notify`, and `isEnding`.
final class HelperProcess: Sendable {
    private struct State {
        var child: ChildProcess?
        /// Time at which the process's last message arrived.
        var lastMessageTime = ClockTime(nanoseconds: 0)
        var thread: MediaThread?
        /// Number of requests so far. The thread uses this number to detect new requests after it has failed
        /// to start the program.
        var requestCount = 0
        /// Delay before the next restart of the process.
        var backoff = Backoff(from: .milliseconds(200), to: .seconds(1))
        var isEnding = false
    }

    private let name: String
    private let threadName: String
    private let missingProgramPrefix: String
    private let socket: String
    private let program: String?
    private let withheld: Set<String>
    private let notify: @Sendable (String) -> Void
    private let clock = MonotonicClock()
    private let state = ConditionLock(State())
    private let ending = Cancellation()

    /// Minimum run time after which an exit isn't counted as early.
    private static let minStableDuration = Nanoseconds.seconds(10)
    /// If a process that must report every second doesn't send a message for this time, the process is
    /// considered hung.
    private static let hangTimeout = Nanoseconds.seconds(10)
    /// Maximum time for the process to exit after it was requested to shut down.
    private static let exitTimeout = Nanoseconds.milliseconds(1500)

    /// Prepares the helper without starting a process.
    ///
    /// - Parameters:
    ///   - name: The program's name, such as `multicam-live`.
    ///   - thread: Name of the thread that waits for the process, at most 9 bytes.
    ///   - missingProgramPrefix: The beginning of the error message that is reported if the program is missing.
    ///   - socket: Path of the media socket.
    ///   - program: The program's path; `nil` if it wasn't found.
    ///   - withheld: Names of environment variables of this process that the helper doesn't inherit.
    ///   - say: Receives the process's error messages, on any thread.
    init(
        _ name: String, thread: String, missingProgramPrefix: String, socket: String, program: String?,
        withholding withheld: Set<String>, notify say: @escaping @Sendable (String) -> Void
    ) {
        (self.name, threadName, self.missingProgramPrefix, self.socket) = (
            name, thread, missingProgramPrefix, socket
        )
        (self.program, self.withheld, self.notify) = (program, withheld, say)
    }

    /// Whether shutdown has begun. No further requests are accepted.
    var isEnding: Bool { state.withLock(\.isEnding) }

    /// Registers a new request, and starts the process if necessary. The owner must exist until `end` has
    /// been called.
    func registerRequest(for owner: any HelperOwner) {
        state.broadcast { state in
            guard !state.isEnding else { return }
            state.requestCount += 1
            guard state.thread == nil else { return }
            state.thread = MediaThread.startWhenPossible(name: threadName) { [self] in
                while run(for: owner) {}
            }
        }
    }

    /// Sends a line to the process. If no process is running, the line is dropped. The next process receives
    /// all current requests from `HelperOwner.withRequests`.
    func send(_ line: String) { state.withLock { $0.child?.send(line) } }

    /// Ends the process, and waits at most about two seconds until it has exited. Blocks the calling thread;
    /// don't call this method from a Swift task.
    func end() {
        let (child, thread) = state.broadcast { state in
            state.isEnding = true
            return (state.child, state.thread)
        }
        ending.cancel()
        child?.closeInput()
        let isOver = state.wait(until: clock.now + Self.exitTimeout) { $0.child == nil ? true : nil } ?? false
        if !isOver { state.withLock(\.child)?.signal(SIGKILL) }
        thread?.join()
    }

    /// Runs the process once if any requests exist.
    ///
    /// - Returns: Whether the helper should be run again.
    private func run(for owner: any HelperOwner) -> Bool {
        let (wishes, isEnding) = state.withLock { ($0.requestCount, $0.isEnding) }
        guard !isEnding else { return false }
        let began = clock.now
        let isSilent = ConditionLock(false)
        guard let child = start(for: owner, whenSilent: { isSilent.broadcast { $0 = true } }) else {
            // Wait for the next request before trying again, because the program may have been installed by
            // then.
            return state.wait { state in state.isEnding ? false : state.requestCount != wishes ? true : nil }
        }
        let watch = monitor(child, owner)
        let status = child.wait()
        watch.cancel()
        // Wait until the process's last lines have been read, unless one of its child processes keeps the
        // pipe open.
        isSilent.wait(until: clock.now + .seconds(1)) { $0 ? () : nil }
        let pause = state.broadcast { state -> Nanoseconds? in
            state.child = nil
            guard !state.isEnding else { return nil }
            if clock.now - began > Self.minStableDuration { state.backoff.reset() }
            return state.backoff.next()
        }
        guard let pause else { return false }
        let words =
            status > 128
            ? "was terminated by signal \(status - 128) and is being restarted."
            : "exited with status \(status) and is being restarted."
        owner.processHasEnded(words)
        clock.sleep(until: clock.now + pause, unless: ending)
        return true
    }

    /// Starts the process; returns `nil` if the request list is empty or the process can't be started.
    private func start(
        for owner: any HelperOwner, whenSilent: @escaping @Sendable () -> Void
    ) -> ChildProcess? {
        var isWanted = false
        owner.withRequests { isWanted = !$0.isEmpty }
        guard isWanted else { return nil }
        do throws(ProcessError) {
            guard let program, access(program, X_OK) == 0 else {
                throw ProcessError(
                    "\(missingProgramPrefix) isn't installed at \(program?.printable(limit: 1000) ?? name). Build it with `swift build`, or install the package "
                        + "multicam-studio.")
            }
            let child = try ChildProcess(program, ["--socket", socket], withholding: withheld.contains)
            // The requests can't change during this closure, so later requests are sent after these lines.
            owner.withRequests { lines in
                state.broadcast { state in
                    (state.child, state.lastMessageTime) = (child, clock.now)
                    for line in lines { child.send(line) }
                    if state.isEnding { child.closeInput() }
                }
            }
            child.readOutput(
                { [weak self, weak owner] line in
                    if self?.recordMessage(from: child) ?? false { owner?.receive(line) }
                }, whenOver: whenSilent)
            child.readMessages { [name, notify] line in notify("\(name): \(line.printable(limit: 1000))") }
            return child
        } catch {
            owner.processIsMissing(error.description)
            return nil
        }
    }

    /// Returns whether a message came from the current process. If so, records that the process is
    /// responsive.
    private func recordMessage(from child: ChildProcess) -> Bool {
        state.withLock { state in
            guard state.child === child else { return false }
            state.lastMessageTime = clock.now
            return true
        }
    }

    /// Kills the process if it has been silent for too long.
    private func monitor(_ child: ChildProcess, _ owner: any HelperOwner) -> Cancellation {
        let done = Cancellation()
        MediaThread.startWhenPossible(name: "\(threadName):watch") { [state, clock] in
            while clock.sleep(until: clock.now + .seconds(1), unless: done) {
                let isTold = owner.mustReportEverySecond
                let isSilent = state.withLock { state in
                    if !isTold { state.lastMessageTime = clock.now }
                    return clock.now - state.lastMessageTime > Self.hangTimeout
                }
                if isSilent { child.signal(SIGKILL) }
            }
        }
        return done
    }
}

/// The owner of a helper process. The owner's functions are called on the helper's threads while the helper isn't
/// holding a lock.
protocol HelperOwner: AnyObject, Sendable {
    /// Calls a closure with one line for each current request, in the format that a new process expects. The
    /// requests don't change while the closure runs.
    func withRequests(_ body: ([String]) -> Void)

    /// Whether the process is currently required to send a message every second.
    var mustReportEverySecond: Bool { get }

    /// Receives a line from the process.
    func receive(_ line: String)

    /// Reports that the process has crashed, or that it was killed because it was hung. The process will be
    /// restarted.
    ///
    /// - Parameter words: The cause, as a verb phrase that follows the program's name in a sentence.
    func processHasEnded(_ words: String)

    /// Reports that no process can be started until the next request.
    ///
    /// - Parameter text: The reason, as a sentence.
    func processIsMissing(_ text: String)
}
