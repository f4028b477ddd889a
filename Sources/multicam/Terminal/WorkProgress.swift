import FoundationEssentials
import Glibc
import MulticamMedia
import MulticamRendering
import MulticamSystem

/// Reports the progress of long operations. On a terminal, the progress is shown in the status line;
/// otherwise, messages are printed periodically.
///
/// A program that displays the progress can set `MULTICAM_PROGRESS=1` to get two messages per second.
/// Thread-safe.
final class WorkProgress: Sendable {
    private let clock = MonotonicClock()
    private let last: ConditionLock<ClockTime>
    private let interval: Nanoseconds

    private static let defaultInterval = Nanoseconds.seconds(10)
    private static let frequentInterval = Nanoseconds.milliseconds(500)

    /// Creates a reporter. The first report is due after one report interval.
    ///
    /// - Parameter environment: The process's environment variables.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isOften = environment["MULTICAM_PROGRESS"] == "1"
        interval = isOften ? Self.frequentInterval : Self.defaultInterval
        last = ConditionLock(isOften ? clock.now - Self.defaultInterval : clock.now)
    }

    /// Reports the progress if a report is due.
    ///
    /// - Parameters:
    ///   - share: Fraction of the work that is complete, 0…1; `nil` if unknown.
    ///   - text: Description of the current step.
    func report(_ share: Double?, _ text: String) {
        let sentence = share.map { "\(Int(rounding: min(max($0, 0), 1) * 100)) %, \(text)" } ?? text
        if Output.hasTerminal { return Output.status(sentence) }
        let now = clock.now
        let isDue = last.withLock { last in
            guard now - last >= interval else { return false }
            last = now
            return true
        }
        if isDue { Output.message(sentence) }
    }

    /// Clears the terminal's status line.
    func end() { Output.endStatus() }
}

/// Shows the progress of an operation and the estimated remaining time. On a terminal, a progress bar is
/// shown; otherwise, the progress is reported with `WorkProgress`. Thread-safe.
final class RenderMeter: Sendable {
    private struct State {
        var step = ""
        var stepStart = ClockTime(nanoseconds: 0)
        var lastUpdate = ClockTime(nanoseconds: 0)
    }

    private let state = ConditionLock(State())
    private let clock = MonotonicClock()
    private let lines = WorkProgress()
    private static let barLength = 24
    /// Minimum time between updates of the progress bar.
    private static let interval = Nanoseconds.milliseconds(100)

    /// Shows the name of the current step and the fraction of the step that is complete, 0…1.
    func show(_ step: String, _ share: Double) {
        let now = clock.now
        let (elapsed, isDue) = state.withLock { state in
            if state.step != step { (state.step, state.stepStart) = (step, now) }
            let isDue = now - state.lastUpdate >= Self.interval
            if isDue { state.lastUpdate = now }
            return (now - state.stepStart, isDue)
        }
        let share = min(max(share, 0), 1)
        let left = Self.remainingTime(share, elapsed)
        if !Output.hasTerminal {
            lines.report(share, step + left)
        } else if isDue {
            Output.status("\(step) \(Self.bar(share)) \(Int(share * 100)) %\(left)")
        }
    }

    private static func bar(_ share: Double) -> String {
        let full = Int(share * Double(barLength))
        return String(repeating: "▮", count: full) + String(repeating: "▯", count: barLength - full)
    }

    /// Formats the remaining time of the step, estimated from the elapsed time; empty at the beginning.
    private static func remainingTime(_ share: Double, _ elapsed: Nanoseconds) -> String {
        guard share > 0.01 else { return "" }
        let left = Nanoseconds.seconds(rounding: (elapsed.inSeconds * (1 - share) / share).rounded(.up))
        return ", \(left.displayText) left"
    }
}

/// Ends long operations on a recording if a stop signal arrives or if the program that started the operation
/// ends.
enum JobTermination {
    /// Maximum time for a canceled operation to finish before the process exits.
    private static let exitTimeout = Nanoseconds.seconds(2)
    /// Environment variable that marks this process as a job, which must end when its parent program ends.
    /// The standard input of a job is a pipe from the parent program.
    private static let jobVariable = "MULTICAM_JOB"

    /// Handles the stop signals SIGINT, SIGTERM, and SIGHUP.
    ///
    /// - Returns: A cancellation that is triggered by a stop signal. If the operation doesn't end within two
    ///   seconds of the signal, unfinished files are removed and the process exits.
    /// - Throws: `ProcessError` if no file descriptor is available or too few threads can be created.
    static func cancellationBySignals() throws(ProcessError) -> Cancellation {
        try SignalHandler.install()
        let cancellation = Cancellation()
        SignalHandler.start { request in
            guard case .stop = request else { return }
            cancellation.cancel()
            endProcess()
        }
        return cancellation
    }

    /// If this process is a job, ends it when its parent program ends for any reason. The end of the parent
    /// program is detected because it closes the pipe to this process.
    ///
    /// - Parameter environment: The process's environment variables.
    /// - Throws: `ThreadError` if the system can't create a thread.
    static func monitorParent(_ environment: [String: String]) throws(ThreadError) {
        guard environment[jobVariable] == "1" else { return }
        unsetenv(jobVariable)
        _ = try MediaThread(name: "parent") {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count > 0 || (count < 0 && errno == EINTR) { continue }
                break
            }
            kill(getpid(), SIGTERM)
            endProcess()
        }
    }

    /// Ends the process if it doesn't end by itself within a short time.
    private static func endProcess() {
        let never = Cancellation()
        _ = never.wait(until: MonotonicClock().now + exitTimeout)
        Renderer.discardDrafts()
        _exit(ExitStatus.aborted.rawValue)
    }
}
