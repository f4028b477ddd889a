internal import Media
internal import SessionFolder

/// Tells the node's recorder the group's time once a second, so that its session clock follows that. Readings come from one thread; a
/// recorder that does not answer holds none up.
final class ClockTeller: Sendable {
    private struct State {
        /// The measurement that is to be told.
        var next: (at: ClockTime, utc: Int64, bound: Int64)?
        /// How often the clock was set, and how many readings since then are not told: chrony finds its way again first.
        var (steps, unsteady) = (0, 0)
        var isOver = false
    }

    private let state = ConditionLock(State())

    /// After a step so many readings are not told.
    private static let unsteadyReadings = 5

    /// Tells from here on.
    ///
    /// - Parameter recorder: Who is told.
    init(_ recorder: RecorderDesk) {
        _ = MediaThread(name: "group:tell") { [state] in
            while true {
                let next = state.wait { state -> (at: ClockTime, utc: Int64, bound: Int64)?? in
                    if state.isOver { return .some(nil) }
                    defer { state.next = nil }
                    return state.next.map { .some($0) }
                }
                guard let (at, utc, bound) = next else { return }
                do throws(GroupError) {
                    // What the recorder does not follow is counted in its manifest.
                    _ = try recorder.ask(["clock", "at=\(at.nanoseconds)", "utc=\(utc)", "bound=\(bound)"])
                } catch {
                    // None runs at the moment, or it is of an older version.
                }
            }
        }
    }

    /// Takes what chrony has measured, if anything.
    ///
    /// - Parameters:
    ///   - reading: The reading; `nil` while there is none.
    ///   - now: When it was read.
    func take(_ reading: ClockReading?, at now: ClockPair) {
        guard let reading, now.monotonic.nanoseconds >= 0, now.utc >= 0 else { return }
        state.broadcast { state in
            if reading.steps != state.steps {
                (state.steps, state.unsteady) = (reading.steps, Self.unsteadyReadings)
            }
            guard state.unsteady == 0 else {
                state.unsteady -= 1
                return
            }
            state.next = (
                now.monotonic, max((Nanoseconds(now.utc) + Nanoseconds(reading.offset_ns)).count, 0),
                reading.bound_ns
            )
        }
    }

    func end() { state.broadcast { $0.isOver = true } }
}
