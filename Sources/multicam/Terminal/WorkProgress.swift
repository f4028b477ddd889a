import FoundationEssentials
import Glibc
import Media
import Rendering
import System

/// Reports the progress of long operations: in the status line of a terminal, otherwise as periodic messages.
///
/// A program that shows a progress bar sets `MULTICAM_PROGRESS=1` to get two lines per second. Thread-safe.
final class WorkProgress: Sendable {
    private let clock = MonotonicClock()
    private let last: ConditionLock<ClockTime>
    private let interval: Nanoseconds

    private static let usualInterval = Nanoseconds.seconds(10)
    private static let oftenInterval = Nanoseconds.milliseconds(500)

    /// Creates a reporter and starts its first report interval.
    ///
    /// - Parameter environment: The process's environment variables.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isOften = environment["MULTICAM_PROGRESS"] == "1"
        interval = isOften ? Self.oftenInterval : Self.usualInterval
        last = ConditionLock(isOften ? clock.now - Self.usualInterval : clock.now)
    }

    /// Reports the progress if a report is due.
    ///
    /// - Parameters:
    ///   - share: Fraction of the work that is done, 0…1; `nil` if unknown.
    ///   - text: Description of the current work.
    func tell(_ share: Double?, _ text: String) {
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

/// Shows the progress of an operation and the estimated remaining time: as a progress bar in a terminal, otherwise as
/// lines of `WorkProgress`. Thread-safe.
final class RenderMeter: Sendable {
    private struct State {
        var step = ""
        var begun = ClockTime(nanoseconds: 0)
        var told = ClockTime(nanoseconds: 0)
    }

    private let state = ConditionLock(State())
    private let clock = MonotonicClock()
    private let lines = WorkProgress()
    private static let barLength = 24
    /// Minimum interval between updates of the bar.
    private static let interval = Nanoseconds.milliseconds(100)

    /// Shows a step and the fraction of it that is done, 0…1.
    func show(_ step: String, _ share: Double) {
        let now = clock.now
        let (elapsed, isDue) = state.withLock { state in
            if state.step != step { (state.step, state.begun) = (step, now) }
            let isDue = now - state.told >= Self.interval
            if isDue { state.told = now }
            return (now - state.begun, isDue)
        }
        let share = min(max(share, 0), 1)
        let left = Self.left(share, elapsed)
        if !Output.hasTerminal {
            lines.tell(share, step + left)
        } else if isDue {
            Output.status("\(step) \(Self.bar(share)) \(Int(share * 100)) %\(left)")
        }
    }

    private static func bar(_ share: Double) -> String {
        let full = Int(share * Double(barLength))
        return String(repeating: "▮", count: full) + String(repeating: "▯", count: barLength - full)
    }

    /// Returns the estimated remaining time of the step, based on the elapsed time; empty at the beginning.
    private static func left(_ share: Double, _ elapsed: Nanoseconds) -> String {
        guard share > 0.01 else { return "" }
        let left = Nanoseconds.seconds(rounding: (elapsed.inSeconds * (1 - share) / share).rounded(.up))
        return ", \(left.words) left"
    }
}

/// Ends long operations on a recording: on a signal, or when the program that started the operation ends.
enum JobTermination {
    /// Maximum time for an operation to end by itself.
    private static let patience = Nanoseconds.seconds(2)
    /// Environment variable that marks a job that must end with its parent program. The job's standard input is then a
    /// pipe from that program.
    private static let jobVariable = "MULTICAM_JOB"

    /// Catches the stop signals SIGINT, SIGTERM, and SIGHUP.
    ///
    /// - Returns: The cancellation. If the operation doesn't end within two seconds, the process exits and
    ///   removes unfinished files.
    /// - Throws: `ProcessError` if no file descriptor is available, or there are too few threads.
    static func cancellationBySignals() throws(ProcessError) -> Cancellation {
        try SignalInbox.open()
        let cancellation = Cancellation()
        SignalInbox.listen { request in
            guard case .stop = request else { return }
            cancellation.cancel()
            endProcess()
        }
        return cancellation
    }

    /// Ends this process when the program that started it as a job ends for any reason, because that closes its end of
    /// the pipe.
    ///
    /// - Parameter environment: The process's environment variables.
    /// - Throws: `ThreadError` if the system can't create a thread.
    static func followParent(_ environment: [String: String]) throws(ThreadError) {
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

    /// Ends the process unless it soon ends on its own.
    private static func endProcess() {
        let never = Cancellation()
        _ = never.wait(until: MonotonicClock().now + patience)
        Renderer.discardDrafts()
        _exit(ExitStatus.aborted.rawValue)
    }
}
