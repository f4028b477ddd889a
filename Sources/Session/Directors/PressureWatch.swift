internal import Media
internal import Monitoring
internal import SessionFolder
internal import Writers

/// Follows system pressure through a recording: reads on a thread of its own, judges here. Timeline's thread only.
final class PressureWatch {
    private let host: HostWatch
    private let clock: any SessionClock
    private let frameInterval: Nanoseconds
    private var assessment = PressureAssessment()
    private var queues = StandingQueues()
    private var due = MediaTime.zero
    private var queuesDue = MediaTime.zero
    private(set) var course = PressureHistory()

    /// Ten looks at the queues for each judgement find the moment at which one was empty.
    private static let queueInterval: Int64 = 100_000_000

    /// - Parameters:
    ///   - host: What is asked.
    ///   - clock: The session's.
    ///   - folder: The session folder.
    ///   - frameInterval: Of the leading grid, to measure queues by.
    init(_ host: any HostReading, clock: any SessionClock, folder: String, frameInterval: Nanoseconds) {
        self.host = HostWatch(host, clock: clock, folder: folder)
        self.clock = clock
        self.frameInterval = frameInterval
    }

    /// As assessed last; `nil` until the computer has answered.
    private(set) var current: SystemPressure?

    /// What the computer said last; `nil` until it has answered.
    var report: HostWatch.Report? { host.report }

    /// Looks at the queues now and then, and judges once a second. To be called at each tick.
    ///
    /// - Returns: The event, when the level has changed.
    func follow(_ outputs: SessionOutputs, at position: MediaTime) -> SessionEvent? {
        // In simulated time queues wait for room as long as they like: their ages mean nothing.
        if clock.isRealTime, position >= queuesDue {
            queuesDue = MediaTime(nanoseconds: position.nanoseconds + Self.queueInterval)
            queues.note(ages(outputs))
        }
        guard position >= due, let report = host.report else { return nil }
        due = MediaTime(nanoseconds: position.nanoseconds + HostWatch.interval.count)
        let pressure = assessment.assess(
            report.state, readAt: report.at, queues: queues.take(), at: clock.now)
        let was = current?.level ?? .nominal
        current = pressure
        course.note(pressure, at: position, cpuTime: clock.isRealTime ? report.cpuTime : nil)
        return pressure.level == was ? nil : SessionEvent(pressure, was: was, at: position)
    }

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
