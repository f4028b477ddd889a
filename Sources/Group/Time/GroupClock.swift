internal import Glibc
internal import Media
internal import Processes

/// The group's time on this computer: reads once a second what chrony has measured. Safe to use from any thread.
final class GroupClock: Sendable {
    private struct State {
        var reading: ClockReading?
        var distance = ClockPair.now().distance
        var steps = 0
    }

    private let state = ConditionLock(State())
    private let ending = Cancellation()

    private static let interval = Nanoseconds.seconds(1)
    /// Between two readings a clock that is slewed moves by less than this.
    private static let step = Nanoseconds.milliseconds(2)

    /// Reads from here on.
    ///
    /// - Parameters:
    ///   - socket: The socket of the chronyd that measures; `nil` measures nothing.
    ///   - read: Called once a second with the reading, `nil` while there is none, and the instant at which it was made.
    init(_ socket: String?, read: @escaping @Sendable (ClockReading?, ClockPair) -> Void = { _, _ in }) {
        let program = socket == nil ? nil : KeptProgram.path(of: "chronyc")
        _ = MediaThread(name: "group:clock") { [self] in
            let clock = MonotonicClock()
            var next = clock.now
            while !ending.isCancelled {
                let tracking = program.flatMap { program in socket.flatMap { Self.tracking(program, $0) } }
                let now = ClockPair.now()
                read(note(tracking, now), now)
                next = max(next + Self.interval, clock.now)
                guard clock.sleep(until: next, unless: ending) else { return }
            }
        }
    }

    func end() { ending.cancel() }

    private static func tracking(_ program: String, _ socket: String) -> ChronyTracking? {
        let lines = ConditionLock<(first: String, isOver: Bool)>(("", false))
        do throws(ProcessError) {
            let child = try ChildProcess(program, ["-h", socket, "-c", "tracking"])
            child.readMessages { _ in }
            child.readOutput(
                { line in lines.withLock { if $0.first.isEmpty { $0.first = line } } },
                whenOver: { lines.broadcast { $0.isOver = true } })
            child.finish()
            _ = child.wait()
        } catch {
            return nil
        }
        lines.wait(until: MonotonicClock().now + .seconds(2)) { $0.isOver ? () : nil }
        return ChronyTracking(lines.withLock { $0.first })
    }

    private func note(_ tracking: ChronyTracking?, _ now: ClockPair) -> ClockReading? {
        state.withLock { state in
            if (now.distance - state.distance).magnitude > Self.step { state.steps += 1 }
            state.distance = now.distance
            state.reading = tracking.map { tracking in
                ClockReading(
                    source: tracking.source, offset_ns: tracking.offset.count, bound_ns: tracking.bound.count,
                    root_delay_ns: tracking.rootDelay.count,
                    root_dispersion_ns: tracking.rootDispersion.count,
                    ppm: tracking.ppm, age_ns: max(now.utc &- tracking.measuredAt, 0), steps: state.steps)
            }
            return state.reading
        }
    }

    /// The last reading; `nil` while there is none.
    var reading: ClockReading? { state.withLock(\.reading) }

    /// The group's time now, in nanoseconds since 1970. Without a measurement it is this computer's own.
    var now: Int64 { ClockPair.now().utc &+ (reading?.offset_ns ?? 0) }

    /// An instant of the group's time on CLOCK_MONOTONIC.
    ///
    /// - Parameter utc: Nanoseconds since 1970.
    /// - Returns: The instant, which may be to come.
    func monotonic(of utc: Int64) -> ClockTime {
        Self.monotonic(of: utc, ClockPair.now(), offset: Nanoseconds(reading?.offset_ns ?? 0))
    }

    /// The group's time at an instant of CLOCK_MONOTONIC, in nanoseconds since 1970.
    func utc(of time: ClockTime) -> Int64 {
        let now = ClockPair.now()
        return (Nanoseconds(now.utc) + Nanoseconds(reading?.offset_ns ?? 0) + (time - now.monotonic)).count
    }

    static func monotonic(of utc: Int64, _ now: ClockPair, offset: Nanoseconds) -> ClockTime {
        now.monotonic + (Nanoseconds(utc) - (Nanoseconds(now.utc) + offset))
    }
}
