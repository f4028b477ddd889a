import FoundationEssentials
import Media

/// Tells how far long work is: on a terminal in its status line, elsewhere by a line now and then.
///
/// A program that shows a bar sets `MULTICAM_PROGRESS=1` and gets a line twice a second. Any thread may tell.
final class WorkProgress: Sendable {
    private let clock = MonotonicClock()
    private let last: ConditionLock<ClockTime>
    private let interval: Nanoseconds

    private static let usualInterval = Nanoseconds.seconds(10)
    private static let oftenInterval = Nanoseconds.milliseconds(500)

    /// Begins to count.
    ///
    /// - Parameter environment: The process's variables.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isOften = environment["MULTICAM_PROGRESS"] == "1"
        interval = isOften ? Self.oftenInterval : Self.usualInterval
        last = ConditionLock(isOften ? clock.now - Self.usualInterval : clock.now)
    }

    /// Tells what is done, where it is time to.
    ///
    /// - Parameters:
    ///   - share: How much of the work is done, 0…1; `nil` where that is not known.
    ///   - text: What is being done.
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
