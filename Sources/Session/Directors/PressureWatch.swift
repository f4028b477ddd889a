internal import Media
internal import Monitoring
internal import SessionFolder
internal import Writers

/// Follows system pressure through a recording: reads on a thread of its own, assesses here. Timeline's thread only.
final class PressureWatch {
    private let host: HostWatch
    private let clock: any SessionClock
    private let frameInterval: Nanoseconds
    /// Whether files are written, so that their disk counts.
    private let writesFiles: Bool
    private var assessment = PressureAssessment()
    private var queues = StandingQueues()
    private var due = MediaTime.zero
    private var queuesDue = MediaTime.zero
    private(set) var course = PressureHistory()

    /// Nanoseconds from one look at the queues to the next: ten looks for each assessment find the moment at which a
    /// queue was empty.
    private static let queueInterval: Int64 = 100_000_000

    /// Starts to read the computer's state.
    ///
    /// - Parameters:
    ///   - host: Reads the computer's state.
    ///   - clock: The session clock.
    ///   - folder: Path of the session folder, or `nil` when nothing is written: no disk counts then.
    ///   - frameInterval: Interval of the leading grid, by which queues are measured.
    init(_ host: any HostReading, clock: any SessionClock, folder: String?, frameInterval: Nanoseconds) {
        // Of a path without files nothing is summed up, and what is read of its disk is dropped.
        self.host = HostWatch(host, clock: clock, folder: folder ?? "/dev/null")
        writesFiles = folder != nil
        self.clock = clock
        self.frameInterval = frameInterval
    }

    /// System pressure as assessed last, or `nil` until the computer's state was read.
    private(set) var current: SystemPressure?

    /// The computer's state as read last, or `nil` until it was read.
    var report: HostWatch.Report? { host.report }

    /// Looks at the queues, and assesses once a second. To be called as the timeline goes on.
    ///
    /// - Returns: The event of a changed level, or `nil`.
    func follow(_ outputs: SessionOutputs, at position: MediaTime) -> SessionEvent? {
        // In simulated time queues wait for room as long as they like: their ages mean nothing.
        if clock.isRealTime, position >= queuesDue {
            queuesDue = MediaTime(nanoseconds: position.nanoseconds + Self.queueInterval)
            queues.note(ages(outputs))
        }
        guard position >= due, let report = host.report else { return nil }
        due = MediaTime(nanoseconds: position.nanoseconds + HostWatch.interval.count)
        var state = report.state
        if !writesFiles { state.disk = nil }
        let pressure = assessment.assess(
            state, readAt: report.at, queues: queues.take(), at: clock.now)
        let was = current?.level ?? .nominal
        current = pressure
        course.note(pressure, at: position, cpuTime: clock.isRealTime ? report.cpuTime : nil)
        return pressure.level == was ? nil : SessionEvent(pressure, was: was, at: position)
    }

    /// Stops the reading.
    func stop() { host.stop() }

    private func ages(_ outputs: SessionOutputs) -> [QueueAge] {
        let interval = frameInterval.inSeconds
        var ages = outputs.encoderAges
        ages += outputs.writers.values.map {
            QueueAge(.writer, name: $0.relativePath, intervals: $0.backlog.inSeconds / interval)
        }
        ages += outputs.waves.map {
            QueueAge(.writer, name: $0.relativePath, intervals: $0.backlog.inSeconds / interval)
        }
        return ages
    }
}
