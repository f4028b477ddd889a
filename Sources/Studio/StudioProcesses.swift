internal import Media
internal import System

extension ChildProcess {
    /// Starts a program of the studio.
    ///
    /// - Parameters:
    ///   - program: Path of the program.
    ///   - arguments: Arguments, without the program's name.
    ///   - variables: Additional environment variables, each as `NAME=VALUE`.
    ///   - isWithheld: Returns whether an environment variable is withheld from the program.
    ///   - broker: The connection that gives the program access to the recorder; `nil` for no access.
    /// - Returns: The child process that was started.
    /// - Throws: `StudioError` if the system can't start the program.
    static func start(
        _ program: String, _ arguments: [String], variables: [String] = [],
        withholding isWithheld: (String) -> Bool = { _ in false }, broker: RecorderConnectionBroker? = nil
    ) throws(StudioError) -> ChildProcess {
        do throws(ProcessError) {
            return try ChildProcess(
                program, arguments, variables: variables, withholding: isWithheld,
                passing: broker.map { ($0.clientEnd.number, RecorderConnector.descriptor) })
        } catch {
            throw StudioError(error.description)
        }
    }
}

/// Watchdog that detects when a process has been silent for too long. Safe to use from any thread.
final class Watchdog: Sendable {
    private struct State {
        /// Number of seconds since the last heartbeat.
        var silence: Int
        /// Number of seconds of silence that count as a hang.
        var limit: Int
    }

    private let state: ConditionLock<State>
    private let limit: Int

    /// Creates a watchdog that hasn't received a heartbeat yet.
    ///
    /// - Parameters:
    ///   - limit: Maximum time between two heartbeats, in seconds.
    ///   - first: Maximum time until the first heartbeat, in seconds.
    init(limit: Int, first: Int) {
        self.limit = limit
        state = ConditionLock(State(silence: 0, limit: first))
    }

    /// Records a heartbeat of the process.
    func recordHeartbeat() { state.withLock { $0 = State(silence: 0, limit: limit) } }

    /// Counts another second without a heartbeat.
    ///
    /// - Returns: Whether the process has been silent for too long.
    func countSilentSecond() -> Bool {
        state.withLock { state in
            state.silence += 1
            return state.silence >= state.limit
        }
    }

    /// Monitors the process on a separate thread. Counts only the seconds during which this process was running. If
    /// this process was stopped or the machine was asleep, nothing is known about the other process.
    ///
    /// - Parameters:
    ///   - ended: Ends the monitoring.
    ///   - stopped: Called once when the silence is too long.
    func monitor(unless ended: Cancellation, _ stopped: @escaping @Sendable () -> Void) {
        MediaThread.startWhenPossible(name: "pulse") { [self] in
            let clock = MonotonicClock()
            while clock.sleep(until: clock.now + .seconds(1), unless: ended) {
                if countSilentSecond() { return stopped() }
            }
        }
    }
}

/// Environment variables that are passed to the web process. Other variables may contain keys, such as those that a
/// profile's `url_from` names. A process with network access doesn't need these variables.
enum WebEnvironment {
    private static let names: Set<String> = [
        "HOME", "LANG", "LANGUAGE", "PATH", "TMPDIR", "TZ", "USER", "XDG_RUNTIME_DIR",
    ]
    /// Prefixes of variables for locales, library folders and sanitizer options.
    private static let prefixes = ["ASAN_", "LC_", "LD_", "LSAN_", "TSAN_", "UBSAN_"]

    /// Whether the variable with this name is passed to the web process.
    static func passes(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.hasPrefix($0) }
    }
}
