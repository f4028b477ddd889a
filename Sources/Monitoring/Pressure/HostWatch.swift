package import Media

/// The thread that reads what the computer says of itself, about once a second: a driver or a disk that does not answer
/// holds up this thread and nothing else.
package final class HostWatch: Sendable {
    package struct Report: Sendable {
        package let state: HostState
        /// When it was read.
        package let at: ClockTime
        /// What the thread has taken of a processor so far.
        package let cpuTime: Nanoseconds
    }

    package static let interval = Nanoseconds.seconds(1)

    private let latest: ConditionLock<Report?>
    private let done = Cancellation()

    /// Begins at once.
    ///
    /// - Parameters:
    ///   - host: What is asked.
    ///   - clock: The session's.
    ///   - folder: The session folder.
    package init(_ host: any HostReading, clock: any SessionClock, folder: String) {
        let (latest, done) = (ConditionLock<Report?>(nil), done)
        self.latest = latest
        _ = clock.startThread(named: "pressure") {
            repeat {
                let time = clock.now
                let state = host.read(folder: folder, at: time).checked()
                let used = MediaThread.cpuTimeOfCurrentThread
                latest.withLock { $0 = Report(state: state, at: time, cpuTime: used) }
            } while clock.sleep(until: clock.now + Self.interval, unless: done)
        }
    }

    /// `nil` until the first reading is done.
    package var report: Report? { latest.withLock { $0 } }

    /// No reading follows the one that may be under way, which is not waited for.
    package func stop() { done.cancel() }
}
