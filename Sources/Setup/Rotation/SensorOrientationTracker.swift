internal import Capture
public import Media
internal import Plan

/// Follows how the computer is turned by its accelerometer, from a thread of its own, until nobody holds it any more.
public final class SensorOrientationTracker: OrientationTracker {
    private struct State {
        var estimate = TurnEstimate()
        /// Why nothing is known now; `nil` while the sensor tells.
        var problem: String?
        var observers: [Int: @Sendable (MachineTurn) -> Void] = [:]
        var lastObserver = 0

        /// What counts: the last turn that was known, whatever came after it.
        var turn: MachineTurn {
            if let turn = estimate.turn { return .turned(turn) }
            return problem.map { .unknown($0) } ?? .undecided
        }
    }

    private let state = ConditionLock(State())
    private let done = Cancellation()

    /// Some sensors need a tenth of a second to wake up for a reading; people turn a tablet in about half of one.
    static let interval = Nanoseconds.milliseconds(200)

    /// Follows this computer's own sensor. Waits for its first reading; not in a Swift task.
    public convenience init() {
        do throws(SensorError) {
            self.init(try Accelerometer())
        } catch {
            self.init(missing: error.reason)
        }
    }

    /// Follows a sensor. Waits for its first reading; not in a Swift task.
    ///
    /// - Parameters:
    ///   - sensor: Read five times a second.
    ///   - clock: Simulated in tests.
    public init(_ sensor: any AccelerationSensor, clock: any SessionClock = MonotonicClock()) {
        let (state, done) = (state, done)
        Self.look(sensor, state)
        _ = clock.startThread(named: "turn") {
            while clock.sleep(until: clock.now + Self.interval, unless: done) { Self.look(sensor, state) }
        }
    }

    /// Knows nothing, and why: the end of a sentence.
    init(missing reason: String) {
        state.withLock { $0.problem = reason }
    }

    deinit { done.cancel() }

    public var turn: MachineTurn { state.withLock { $0.turn } }

    public func observe(_ observer: @escaping @Sendable (MachineTurn) -> Void) -> TurnObservation {
        let number = state.withLock { state in
            observer(state.turn)
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
        // Holds this tracker until then.
        return TurnObservation { self.state.withLock { $0.observers[number] = nil } }
    }

    private static func look(_ sensor: any AccelerationSensor, _ state: ConditionLock<State>) {
        let reading: Result<Acceleration, SensorError>
        do throws(SensorError) {
            reading = .success(try sensor.acceleration())
        } catch {
            reading = .failure(error)
        }
        state.withLock { state in
            let (before, problem) = (state.turn, state.problem)
            switch reading {
            case .success(let felt):
                state.estimate.take(felt)
                state.problem = nil
            case .failure(let error): state.problem = error.reason
            }
            let news: MachineTurn? =
                if let now = state.problem {
                    now == problem ? nil : .unknown(now)
                } else {
                    state.turn == before && problem == nil ? nil : state.turn
                }
            guard let news else { return }
            for observer in state.observers.values { observer(news) }
        }
    }
}
