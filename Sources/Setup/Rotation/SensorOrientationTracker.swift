internal import Capture
public import Media
internal import Plan

/// Follows the computer's orientation by its accelerometer, on a thread of its own, until the object is released.
public final class SensorOrientationTracker: OrientationTracker {
    private struct State {
        var estimate = TurnEstimate()
        /// Why the sensor cannot be read; `nil` while it can.
        var problem: String?
        var observers: [Int: @Sendable (MachineTurn) -> Void] = [:]
        var lastObserver = 0

        /// The reported orientation: the last known one, even when the sensor has failed since.
        var turn: MachineTurn {
            if let turn = estimate.turn { return .turned(turn) }
            return problem.map { .unknown($0) } ?? .undecided
        }
    }

    private let state = ConditionLock(State())
    private let done = Cancellation()

    /// The interval between readings: some sensors take 0.1 s to wake up, and people turn a tablet in about 0.5 s.
    static let interval = Nanoseconds.milliseconds(200)

    /// Follows this computer's own accelerometer. Waits for its first reading; do not call it in a Swift task.
    public convenience init() {
        do throws(SensorError) {
            self.init(try Accelerometer())
        } catch {
            self.init(missing: error.reason)
        }
    }

    /// Follows a sensor. Waits for its first reading; do not call it in a Swift task.
    ///
    /// - Parameters:
    ///   - sensor: The accelerometer, which is read five times a second.
    ///   - clock: The clock that paces the readings; simulated in tests.
    public init(_ sensor: any AccelerationSensor, clock: any SessionClock = MonotonicClock()) {
        let (state, done) = (state, done)
        Self.look(sensor, state)
        _ = clock.startThread(named: "turn") {
            while clock.sleep(until: clock.now + Self.interval, unless: done) { Self.look(sensor, state) }
        }
    }

    /// Creates a tracker of a computer without a sensor; `reason` is the end of a sentence.
    init(missing reason: String) {
        state.withLock { $0.problem = reason }
    }

    deinit { done.cancel() }

    /// The computer's orientation: the last known one, even when the sensor has failed since; before, why none is known.
    public var turn: MachineTurn { state.withLock { $0.turn } }

    /// Calls `observer` with the orientation at once, then with each change, until the returned observation ends.
    ///
    /// - Parameter observer: Called under a lock, later on the sensor's thread: it must neither wait nor call the tracker.
    /// - Returns: The observation, which keeps the tracker alive.
    public func observe(_ observer: @escaping @Sendable (MachineTurn) -> Void) -> TurnObservation {
        let number = state.withLock { state in
            observer(state.turn)
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
        // The closure keeps this tracker alive until the observation ends.
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
