internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// A multicam helper program that works with a session through its media socket. The helper starts with its
/// owner's first request. If the helper crashes or hangs, it is restarted and receives all current requests
/// again. Callers never wait for the helper. Secrets are passed only on the helper's standard input.
///
/// Thread-safe. The owner may hold its own lock when calling `registerRequest`, `send`, and `isEnding`.
final class HelperProcess: Sendable {
    private struct State {
        var supervision: SupervisedChild?
        /// The current process.
        var child: ChildProcess?
        /// Canceled when the current process's output has been read.
        var outputRead: Cancellation?
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

    /// If a process that must report every second doesn't send a message for this number of seconds, the process is
    /// considered hung.
    private static let hangTimeout = 10
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
    ///   - notify: Receives the process's error messages, on any thread.
    init(
        _ name: String, thread: String, missingProgramPrefix: String, socket: String, program: String?,
        withholding withheld: Set<String>, notify: @escaping @Sendable (String) -> Void
    ) {
        (self.name, threadName, self.missingProgramPrefix, self.socket) = (
            name, thread, missingProgramPrefix, socket
        )
        (self.program, self.withheld, self.notify) = (program, withheld, notify)
    }

    /// Whether shutdown has begun. No further requests are accepted.
    var isEnding: Bool { state.withLock(\.isEnding) }

    /// Registers a new request, and starts the process if necessary. The owner must exist until `end` has
    /// been called.
    func registerRequest(for owner: any HelperOwner) {
        state.withLock { state in
            guard !state.isEnding else { return }
            if let supervision = state.supervision { return supervision.wake() }
            var policy = SupervisedChild.Policy(backoff: Backoff(from: .milliseconds(200), to: .seconds(1)))
            (policy.exitRequest, policy.exitTimeout) = (.endOfInput, Self.exitTimeout)
            policy.heartbeat = (Self.hangTimeout, Self.hangTimeout)
            var handler = SupervisedChild.Handler(
                // The program may be installed before the next request.
                start: { [self] in start(for: owner).map { .started($0) } ?? .idle },
                exited: { [self] in handleExit($0, owner) })
            // Wait until the process's last lines have been read, unless one of its child processes keeps the pipe open.
            handler.drain = { [self] in
                _ = self.state.withLock(\.outputRead)?.wait(until: clock.now + .seconds(1))
            }
            handler.expectsHeartbeat = { owner.mustReportEverySecond }
            state.supervision = SupervisedChild(thread: threadName, policy, handler)
        }
    }

    /// Sends a line to the process. If no process is running, the line is dropped. The next process receives
    /// all current requests from `HelperOwner.withRequests`.
    func send(_ line: String) { state.withLock { $0.child?.send(line) } }

    /// Ends the process, and waits at most about three seconds until it has exited. Blocks the calling thread;
    /// don't call this method from a Swift task.
    func end() {
        let supervision = state.withLock { state in
            state.isEnding = true
            return state.supervision
        }
        supervision?.end()
    }

    private func handleExit(_ exit: SupervisedChild.Exit, _ owner: any HelperOwner) -> Bool {
        state.withLock { ($0.child, $0.outputRead) = (nil, nil) }
        guard !exit.isRequested else { return false }
        let words =
            exit.status > 128
            ? "was terminated by signal \(exit.status - 128) and is being restarted."
            : "exited with status \(exit.status) and is being restarted."
        owner.processHasEnded(words)
        return true
    }

    /// Starts the process; returns `nil` if the request list is empty or the process can't be started.
    private func start(for owner: any HelperOwner) -> ChildProcess? {
        var isWanted = false
        owner.withRequests { isWanted = !$0.isEmpty }
        guard isWanted else { return nil }
        do throws(ProcessError) {
            guard let program, access(program, X_OK) == 0 else {
                throw ProcessError(
                    "\(missingProgramPrefix) isn't installed\(program.map { " at \($0.printable(limit: 1000))" } ?? ""). "
                        + onCommandLine(
                            "Build it with `swift build`, or install the package multicam-studio.",
                            otherwise:
                                "Install the package multicam-studio, or set the services' `helperFolder` to the folder that contains `\(name)`."
                        ))
            }
            let child = try ChildProcess(program, ["--socket", socket], withholding: withheld.contains)
            let outputRead = Cancellation()
            // The requests can't change during this closure, so later requests are sent after these lines.
            owner.withRequests { lines in
                state.withLock { state in
                    (state.child, state.outputRead) = (child, outputRead)
                    for line in lines { child.send(line) }
                }
            }
            child.readOutput(
                { [weak self, weak owner] line in
                    if self?.recordMessage(from: child) ?? false { owner?.receive(line) }
                }, whenOver: { outputRead.cancel() })
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
        let (isCurrent, supervision) = state.withLock { ($0.child === child, $0.supervision) }
        if isCurrent { supervision?.recordHeartbeat(of: child) }
        return isCurrent
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
