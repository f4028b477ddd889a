package import Media

/// The thread that reads what the computer says of itself, about once a second: a driver or a disk that does not answer
/// holds up this thread and nothing else.
package final class HostWatch: Sendable {
    /// A reading of the computer's state.
    package struct Report: Sendable {
        /// The computer's state, without impossible figures.
        package let state: HostState
        /// When the reading began, on `CLOCK_MONOTONIC`.
        package let at: ClockTime
        /// The processor time that the reading thread has used so far.
        package let cpuTime: Nanoseconds
    }

    /// The time between two readings.
    package static let interval = Nanoseconds.seconds(1)

    private let latest: ConditionLock<Report?>
    private let done = Cancellation()

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - host: The source of the readings.
    ///   - clock: The session's clock.
    ///   - folder: The session folder, whose disk is read.
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

    /// The latest reading; `nil` until the first one is done.
    package var report: Report? { latest.withLock { $0 } }

    /// Stops the readings. One that may be under way is not waited for.
    package func stop() { done.cancel() }
}
