import Foundation
import MulticamMedia
import MulticamTiming

/// A simulated `CLOCK_MONOTONIC` with a crystal error. It sends the group's time to a session clock once per
/// second, as a node does.
final class MeasuredClock: SteppingClock {
    private struct State {
        var next: ClockTime
        weak var steered: SteeredClock?
    }

    private let base: SimulatedClock
    private let state: ConditionLock<State>
    /// Rate of the group's time relative to this clock, in parts per million.
    private let ppm: Double
    private let origin: ClockTime

    static let epoch: Int64 = 1_790_000_000_000_000_000
    static let bound = Nanoseconds.microseconds(30)

    init(at start: ClockTime, ppm: Double) {
        (base, origin, self.ppm) = (SimulatedClock(start: start), start, ppm)
        state = ConditionLock(State(next: start + .seconds(1)))
    }

    /// Returns the group's time at an instant, in nanoseconds since 1970.
    func truth(_ time: ClockTime) -> Double {
        let passed = Double((time - origin).count)
        return Double(Self.epoch) + passed + passed * ppm * 1e-6
    }

    /// Returns the group's time at an instant minus `epoch`, which a `Double` represents to the nanosecond.
    func passed(_ time: ClockTime) -> Double { Double((time - origin).count) * (1 + ppm * 1e-6) }

    private func measurement(_ time: ClockTime) -> ClockMeasurement {
        // The error changes every second and never exceeds the bound.
        let error = (time.nanoseconds / 1_000_000_000 * 7919 % 61 - 30) * 1000 * 9 / 10
        return ClockMeasurement(
            stamp: time, utc: Self.epoch + Int64(passed(time).rounded()) + error, bound: Self.bound)
    }

    /// Sends measurements to a clock that follows this one, starting with the last ten seconds.
    func sendMeasurements(to steered: SteeredClock) throws(ClockMeasurementError) {
        for second in (0..<10).reversed() {
            try steered.update(with: measurement(origin - .seconds(Int64(second))))
        }
        state.withLock { $0.steered = steered }
    }

    var now: ClockTime { base.now }
    func date(of instant: ClockTime) -> Date { base.date(of: instant) }
    var isRealTime: Bool { false }
    func startThread(
        named name: String, _ body: sending @escaping () -> Void
    ) throws(ThreadError) -> MediaThread {
        try base.startThread(named: name, body)
    }
    func hold() { base.hold() }
    func release() { base.release() }

    func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        let isReached = base.sleep(until: deadline, unless: cancellation)
        let now = base.now
        while true {
            let due = state.withLock { state -> (SteeredClock, ClockTime)? in
                guard let steered = state.steered, state.next <= now else { return nil }
                defer { state.next = state.next + .seconds(1) }
                return (steered, state.next)
            }
            guard let (steered, time) = due else { return isReached }
            do throws(ClockMeasurementError) {
                try steered.update(with: measurement(time))
            } catch {
                print("not followed: \(error)")
            }
        }
    }
}
