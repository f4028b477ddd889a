internal import Inputs
internal import Media
internal import Monitoring
internal import SessionFolder

/// Keeps the devices of a session running from one recording to the next.
///
/// Its thread starts the devices, takes what they deliver while nothing is recorded, lends them to one recording
/// after the other, and stops them.
final class Standby: Sendable {
    /// A use of the running devices; they are lent until it returns.
    typealias Loan = @Sendable (SessionInputs) -> Void

    private struct Orders {
        var loans: [Loan] = []
        var isEnding = false
    }

    private enum Order {
        case lend(Loan)
        case end
    }

    private let clock: any SessionClock
    private let publish: @Sendable (SessionEvent) -> Void
    private let report: @Sendable (SessionStatus) -> Void
    private let makeStage: @Sendable (SessionInputs) -> StandbyStage
    private let freeSpace: FreeSpaceWatch?
    private let orders = ConditionLock(Orders())

    /// How often the status is reported: as often as a recording reports its own.
    private static let interval = Nanoseconds.milliseconds(100)

    /// Creates a standby whose devices are not started yet.
    ///
    /// - Parameters:
    ///   - clock: A real-time clock.
    ///   - publish: Told what happens to devices while nothing is recorded.
    ///   - report: Told the devices' status ten times a second while nothing is recorded.
    ///   - freeSpace: Reads the room where recordings are written; it is stopped at the end. `nil` reads nothing.
    ///   - makeStage: Makes what taps get during one pause between recordings.
    init(
        clock: any SessionClock, publish: @escaping @Sendable (SessionEvent) -> Void,
        report: @escaping @Sendable (SessionStatus) -> Void,
        freeSpace: FreeSpaceWatch?,
        makeStage: @escaping @Sendable (SessionInputs) -> StandbyStage
    ) {
        self.makeStage = makeStage
        self.freeSpace = freeSpace
        self.clock = clock
        self.publish = publish
        self.report = report
    }

    /// Lends the devices as soon as no other recording has them.
    func lend(_ loan: @escaping Loan) { orders.broadcast { $0.loans.append(loan) } }

    /// Stops the devices after every loan that was asked for before.
    func end() { orders.broadcast { $0.isEnding = true } }

    /// Runs the devices until `end`. Blocks its thread.
    ///
    /// - Parameters:
    /// - inputs: The devices, not started yet.
    ///   - limit: How long each device may take to deliver.
    ///   - controls: A request to stop here ends the wait for devices.
    ///   - ready: Told when all devices deliver, or why they do not. In that case they are stopped, and `run`
    ///     returns.
    func run(
        _ inputs: SessionInputs, limit: Nanoseconds, controls: SessionControls,
        ready: (Result<Void, RecordingError>) -> Void
    ) {
        defer {
            for stop in inputs.stop(on: clock) { stop.join() }
            freeSpace?.stop()
        }
        do throws(RecordingError) {
            try inputs.start(on: clock)
            try inputs.wait(for: .enough, on: clock, limit: limit, controls: controls)
        } catch {
            ready(.failure(error))
            return
        }
        var idling = Idling(inputs, since: clock.now, freeSpace: freeSpace)
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
                inputs.dropAdded()
                inputs.restoreFormats()
                idling = Idling(inputs, since: clock.now, freeSpace: freeSpace)
                stage = makeStage(inputs)
            case .end:
                stage.end()
                return
            case nil:
                for event in idling.takeNews(at: clock.now) { publish(event) }
                if let failure = stage.advance() {
                    let text =
                        "nothing is shown or heard of the program on standby: \(failure.description.printable(limit: 400)) "
                        + "Recordings are not affected."
                    publish(
                        SessionEvent(
                            .warning, at: idling.position(at: clock.now), ["text": .string(text)]))
                }
                guard clock.now >= reported + Self.interval else { continue }
                reported = clock.now
                report(idling.status(at: reported))
            }
        }
    }
}
