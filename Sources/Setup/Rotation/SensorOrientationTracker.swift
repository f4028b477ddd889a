internal import MulticamCapture
public import MulticamMedia
internal import MulticamPlan

/// Tracks the computer's orientation with its accelerometer, on a separate thread, until the object is released.
public final class SensorOrientationTracker: OrientationTracker {
    private struct State {
        var estimate = RotationEstimate()
        /// The reason why the sensor can't be read, or `nil` while it's readable.
        var problem: String?
        var observers: [Int: @Sendable (MachineOrientation) -> Void] = [:]
        var lastObserver = 0

        /// The reported orientation. After a sensor failure, this is the last known orientation.
        var turn: MachineOrientation {
            if let turn = estimate.turn { return .rotated(turn) }
            return problem.map { .unknown($0) } ?? .undecided
        }
    }

    private let state = ConditionLock(State())
    private let done = Cancellation()

    /// Interval between readings. Some sensors take 0.1 s to wake up, and turning a tablet takes about 0.5 s.
    static let interval = Nanoseconds.milliseconds(200)

    /// Starts tracking this computer's accelerometer. Waits for the first reading; don't call this from a Swift task.
    public convenience init() {
        do throws(SensorError) {
            self.init(try Accelerometer())
        } catch {
            self.init(missing: error.reason)
        }
    }

    /// Starts tracking the computer's orientation with a sensor. Waits for the first reading; don't call this
    /// from a Swift task.
    ///
    /// - Parameters:
    ///   - sensor: The accelerometer, which is read five times per second.
    ///   - clock: The clock that determines when readings are taken. Tests use a simulated clock.
    package init(_ sensor: any AccelerationSensor, clock: any SessionClock = MonotonicClock()) {
        let (state, done) = (state, done)
        Self.readSensor(sensor, state)
        clock.startThreadWhenPossible(named: "turn") {
            while clock.sleep(until: clock.now + Self.interval, unless: done) {
                Self.readSensor(sensor, state)
            }
        }
    }

    /// Creates a tracker for a computer without a sensor. `reason` completes a sentence about the missing sensor.
    init(missing reason: String) {
        state.withLock { $0.problem = reason }
    }

    deinit { done.cancel() }

    /// The computer's orientation. After a sensor failure, this is the last known orientation. Before the first
    /// reading, the value contains the reason why the orientation is unknown.
    public var orientation: MachineOrientation { state.withLock { $0.turn } }

    /// Calls `observer` immediately with the current orientation, and then on each change, until the returned
    /// observation ends.
    ///
    /// - Parameter observer: Called with a lock held. Calls after the first one come from the sensor's thread. The
    ///   observer must not block or call the tracker.
    /// - Returns: The observation, which keeps the tracker alive.
    public func observe(_ observer: @escaping @Sendable (MachineOrientation) -> Void)
        -> OrientationObservation
    {
        let number = state.withLock { state in
            observer(state.turn)
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
        // The closure keeps this tracker alive until the observation ends.
        return OrientationObservation { self.state.withLock { $0.observers[number] = nil } }
    }

    private static func readSensor(_ sensor: any AccelerationSensor, _ state: ConditionLock<State>) {
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
                state.estimate.add(felt)
                state.problem = nil
            case .failure(let error): state.problem = error.reason
            }
            let news: MachineOrientation? =
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
