internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamSessionFolder
internal import MulticamTiming

/// Keeps a session's devices running between recordings.
///
/// The standby thread starts the devices, drains their deliveries while nothing is being recorded, lends them to one
/// recording after another, and stops them.
final class Standby: Sendable {
    /// A function that uses the running devices until it returns. The argument is `nil` if the devices have
    /// been stopped.
    typealias Loan = @Sendable (SessionInputs?) -> Void

    private struct Orders {
        var loans: [Loan] = []
        var isEnding = false
        var hasEnded = false
    }

    private enum Order {
        case lend(Loan)
        case end
    }

    private let clock: any SessionClock
    private let publish: @Sendable (SessionEvent) -> Void
    private let report: @Sendable (SessionStatus) -> Void
    private let makeStage: @Sendable (SessionInputs) -> StandbyStage
    private let freeSpace: FreeSpaceMonitor?
    private let orders = ConditionLock(Orders())

    /// Interval between status reports, the same as during a recording.
    private static let interval = Nanoseconds.milliseconds(100)

    /// Creates the standby of a session without starting the devices.
    ///
    /// - Parameters:
    ///   - clock: A real-time clock.
    ///   - publish: Receives device events while nothing is being recorded.
    ///   - report: Receives the status of the devices ten times per second while nothing is being recorded.
    ///   - freeSpace: Reads the free space of the recordings folder until the standby ends. `nil` disables
    ///     the reading of free space.
    ///   - makeStage: Creates the source of data for taps during one pause between recordings.
    init(
        clock: any SessionClock, publish: @escaping @Sendable (SessionEvent) -> Void,
        report: @escaping @Sendable (SessionStatus) -> Void,
        freeSpace: FreeSpaceMonitor?,
        makeStage: @escaping @Sendable (SessionInputs) -> StandbyStage
    ) {
        self.makeStage = makeStage
        self.freeSpace = freeSpace
        self.clock = clock
        self.publish = publish
        self.report = report
    }

    /// Lends the devices to `loan` as soon as no other recording uses them. If the devices have been stopped,
    /// `loan` is called with `nil`.
    func lend(_ loan: @escaping Loan) {
        let isTaken = orders.broadcast { orders in
            if !orders.hasEnded { orders.loans.append(loan) }
            return !orders.hasEnded
        }
        if !isTaken { loan(nil) }
    }

    /// Stops the devices when all loans requested before this call have finished.
    func end() { orders.broadcast { $0.isEnding = true } }

    /// Runs the devices until `end`. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - inputs: The devices, not started yet.
    ///   - limit: Time limit for each device to deliver data.
    ///   - controls: The source of stop requests. A stop request ends the wait for devices.
    ///   - ready: Called when all devices deliver data, or with an error if a device fails to deliver data.
    ///     After an error, the devices are stopped, and `run` returns.
    func run(
        _ inputs: SessionInputs, limit: Nanoseconds, controls: SessionControls,
        ready: (Result<Void, RecordingError>) -> Void
    ) {
        defer {
            let refused = orders.withLock { orders in
                orders.hasEnded = true
                defer { orders.loans = [] }
                return orders.loans
            }
            for loan in refused { loan(nil) }
            for warning in SessionInputs.wait(for: inputs.stop(on: clock)) {
                publish(SessionEvent(warning: warning, at: .zero))
            }
            freeSpace?.stop()
        }
        do throws(RecordingError) {
            try inputs.start(on: clock)
            try inputs.wait(for: .enough, on: clock, limit: limit, controls: controls)
        } catch {
            ready(.failure(error))
            return
        }
        var idling = StandbyMonitor(inputs, since: clock.now, freeSpace: freeSpace)
        var stage = makeStage(inputs)
        var reported = clock.now
        report(idling.status(at: clock.now))
        ready(.success(()))
        while true {
            let due = min(reported + Self.interval, stage.nextTime ?? reported + Self.interval)
            let order = orders.wait(until: due) { orders -> Order? in
                if !orders.loans.isEmpty { return .lend(orders.loans.removeFirst()) }
                return orders.isEnding ? .end : nil
            }
            switch order {
            case .lend(let loan):
                stage.end()
                loan(inputs)
                inputs.removeAddedDevices()
                inputs.restoreFormats()
                idling = StandbyMonitor(inputs, since: clock.now, freeSpace: freeSpace)
                stage = makeStage(inputs)
            case .end:
                stage.end()
                return
            case nil:
                for event in idling.dequeueEvents(at: clock.now) { publish(event) }
                if let failure = stage.advance() {
                    let text =
                        "the program isn't available on standby: \(failure.description.printable(limit: 400)) "
                        + "Recordings are not affected."
                    publish(
                        SessionEvent(warning: text, at: idling.position(at: clock.now)))
                }
                for text in stage.dequeueFailures() {
                    publish(SessionEvent(warning: text, at: idling.position(at: clock.now)))
                }
                guard clock.now >= reported + Self.interval else { continue }
                reported = clock.now
                report(idling.status(at: reported))
            }
        }
    }
}

/// Monitors the events and the status of the devices between two recordings. Times are relative to the start
/// of the pause.
struct StandbyMonitor {
    private let inputs: SessionInputs
    private let start: ClockTime
    private let freeSpace: FreeSpaceMonitor?

    /// - Parameters:
    ///   - inputs: The devices on standby.
    ///   - start: When the pause began.
    ///   - freeSpace: Reads the free space of the recordings folder. `nil` disables the reading of free
    ///     space.
    init(_ inputs: SessionInputs, since start: ClockTime, freeSpace: FreeSpaceMonitor? = nil) {
        self.inputs = inputs
        self.start = start
        self.freeSpace = freeSpace
    }

    /// Drops data that no recording will use, and collects the devices' events.
    ///
    /// - Parameter time: The current time.
    /// - Returns: Device events, and audio alarms that began or ended, since the last call.
    func dequeueEvents(at time: ClockTime) -> [SessionEvent] {
        let heard = time - inputs.slowestDelivery
        return inputs.dequeueEvents(since: start)
            + inputs.microphones.flatMap { microphone in
                microphone.drainAlarms(through: heard).map {
                    SessionEvent($0, of: microphone.role, since: start)
                }
            }
    }

    /// Time since the pause began.
    func position(at time: ClockTime) -> MediaTime { MediaTime(time, since: start) }

    /// Returns the status of the devices on standby.
    func status(at time: ClockTime) -> SessionStatus {
        var status = SessionStatus()
        status.phase = .standby
        status.time = position(at: time)
        status.takenAt = time
        status.priority = ThreadPriorities.process.grant
        status.cameras = inputs.cameras.map { SessionStatus.Camera($0, standsBy: true) }
        status.microphones = inputs.microphones.map { SessionStatus.Microphone($0) }
        status.freeBytes = freeSpace?.bytes
        return status
    }
}
