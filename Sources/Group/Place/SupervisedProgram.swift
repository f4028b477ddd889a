internal import FoundationEssentials
internal import Glibc
internal import Media
internal import System

/// A system program that runs during this process's lifetime and is restarted when it exits. Safe to use from any
/// thread.
final class SupervisedProgram: Sendable {
    private struct State {
        var child: ChildProcess?
        var isEnding = false
        /// Whether the current process is ending because `restart` was called.
        var isRestarting = false
    }

    private let name: String
    private let pidFile: String
    private let state = ConditionLock(State())
    private let ending = Cancellation()
    private let over = Cancellation()

    /// Delay before the program is restarted.
    private static let pause = Nanoseconds.seconds(1)

    /// Starts a program after terminating any instance left running by an earlier process.
    ///
    /// - Parameters:
    ///   - name: The program's name.
    ///   - arguments: The program's arguments.
    ///   - pidFile: The program's PID file.
    ///   - package: The package that contains the program.
    ///   - say: Receives human-readable messages, on any thread.
    /// - Throws: `GroupError` if the program isn't installed.
    init(
        _ name: String, _ arguments: [String], pidFile: String, package: String,
        messageHandler say: @escaping @Sendable (String) -> Void
    ) throws(GroupError) {
        (self.name, self.pidFile) = (name, pidFile)
        guard let program = Self.path(of: name) else {
            throw GroupError("\(name) is not installed. Install the package \(package).")
        }
        Self.endFormer(name, pidFile)
        MediaThread.startWhenPossible(name: "kept:\(name)") { [self] in
            while run(program, arguments, say) {}
            over.cancel()
        }
    }

    /// Searches for a program and returns its path. The search is needed because daemons are often installed
    /// in folders that aren't in a user's `PATH`.
    static func path(of name: String) -> String? {
        ProgramPath.named(name)
            ?? ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"].map { "\($0)/\(name)" }.first {
                access($0, X_OK) == 0
            }
    }

    /// Reads a process ID from a PID file, and terminates the process if it is an instance of the program.
    private static func endFormer(_ name: String, _ pidFile: String) {
        guard let bytes = FileManager.default.contents(atPath: pidFile),
            let process = Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)),
            process > 1
        else { return }
        let isSame = { () -> Bool in
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/comm") else {
                return false
            }
            return String(decoding: bytes, as: UTF8.self) == name.prefix(15) + "\n"
        }
        let clock = MonotonicClock()
        let deadline = clock.now + .seconds(5)
        while isSame(), clock.now < deadline {
            kill(process, SIGTERM)
            clock.sleep(until: clock.now + .milliseconds(50), unless: Cancellation())
        }
    }

    /// Runs the program once and waits until it exits.
    ///
    /// - Returns: Whether to start the program again.
    private func run(_ program: String, _ arguments: [String], _ say: @escaping @Sendable (String) -> Void)
        -> Bool
    {
        let clock = MonotonicClock()
        let last = ConditionLock("")
        do throws(ProcessError) {
            let child = try ChildProcess(program, arguments)
            child.readOutput { _ in }
            // The program's messages aren't shown while the program is running. The last message is reported
            // when the program exits.
            child.readMessages { line in last.withLock { $0 = line } }
            child.closeInput()
            let isEnding = state.withLock { state in
                state.child = child
                return state.isEnding
            }
            if isEnding { child.signal(SIGTERM) }
            let status = child.wait()
            let goesOn = state.withLock { state in
                state.child = nil
                return !state.isEnding
            }
            guard goesOn else { return false }
            if state.withLock({ state in
                defer { state.isRestarting = false }
                return state.isRestarting
            }) {
                return true
            }
            let words = last.withLock { $0 }.printable(limit: 300)
            say("\(name) exited with status \(status) and is being restarted. \(words)")
        } catch {
            say(error.description)
        }
        return clock.sleep(until: clock.now + Self.pause, unless: ending)
    }

    /// Restarts the program immediately with its current configuration.
    func restart() {
        let child = state.withLock { state in
            state.isRestarting = state.child != nil
            return state.child
        }
        child?.signal(SIGTERM)
    }

    /// Terminates the program and waits up to two seconds for it to exit.
    func end() {
        let child = state.withLock { state in
            state.isEnding = true
            return state.child
        }
        ending.cancel()
        child?.signal(SIGTERM)
        if !over.wait(until: MonotonicClock().now + .seconds(2)) { state.withLock(\.child)?.signal(SIGKILL) }
    }
}
