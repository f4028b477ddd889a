internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// The group's time on this computer. Reads chrony's measurement once per second. Safe to use from any thread.
final class GroupClock: Sendable {
    private struct State {
        var reading: GroupClockReading?
        var distance = ClockPair.now().distance
        var steps = 0
    }

    private let state = ConditionLock(State())
    private let ending = Cancellation()

    private static let interval = Nanoseconds.seconds(1)
    /// Maximum change in the offset of a slewed clock between two readings. A larger change is treated as a
    /// clock step.
    private static let step = Nanoseconds.milliseconds(2)

    /// Starts reading the measurements of a chronyd process.
    ///
    /// - Parameters:
    ///   - socket: Socket of the measuring chronyd; `nil` disables measurement.
    ///   - read: Called once per second with the reading and the time of the reading. The reading is `nil` if
    ///     no measurement is available.
    init(_ socket: String?, read: @escaping @Sendable (GroupClockReading?, ClockPair) -> Void = { _, _ in }) {
        let program = socket == nil ? nil : SupervisedProgram.path(of: "chronyc")
        MediaThread.startWhenPossible(name: "group:clock") { [self] in
            let clock = MonotonicClock()
            var next = clock.now
            while !ending.isCancelled {
                let tracking = program.flatMap { program in socket.flatMap { Self.tracking(program, $0) } }
                let now = ClockPair.now()
                read(update(with: tracking, now), now)
                next = max(next + Self.interval, clock.now)
                guard clock.sleep(until: next, unless: ending) else { return }
            }
        }
    }

    func end() { ending.cancel() }

    /// Reads the current measurement of a chronyd process. Returns `nil` if chronyd isn't running or isn't
    /// synchronized to a source. Blocks for a few seconds at most.
    static func reading(of socket: String) -> GroupClockReading? {
        guard let program = SupervisedProgram.path(of: "chronyc"), let tracking = tracking(program, socket)
        else {
            return nil
        }
        return GroupClockReading(tracking, at: ClockPair.now(), steps: 0)
    }

    /// The group's time minus this computer's clock, from a single measurement. The result is zero on the
    /// computer that serves the group.
    ///
    /// - Returns: The difference; `nil` if the offset isn't measured on this computer. This method blocks for
    ///   a few seconds at most.
    static func offset(in folder: GroupFolder) -> Nanoseconds? {
        if folder.has(GroupFolder.serving.certificate) { return .zero }
        guard folder.has(GroupTime.socketName) else { return nil }
        return reading(of: GroupTime.socket(in: folder)).map { Nanoseconds($0.offset_ns) }
    }

    /// Returns a function for the group's time in nanoseconds since 1970, based on one measurement of the
    /// offset. Without a measurement, the function returns this computer's time.
    static func time(in folder: GroupFolder) -> @Sendable () -> Int64 {
        let offset = offset(in: folder) ?? .zero
        return { (Nanoseconds(ClockPair.now().utc) + offset).count }
    }

    private static func tracking(_ program: String, _ socket: String) -> ChronyTracking? {
        let lines = ConditionLock<(first: String, isOver: Bool)>(("", false))
        do throws(ProcessError) {
            let child = try ChildProcess(program, ["-h", socket, "-c", "tracking"])
            child.readMessages { _ in }
            child.readOutput(
                { line in lines.withLock { if $0.first.isEmpty { $0.first = line } } },
                whenOver: { lines.broadcast { $0.isOver = true } })
            child.closeInput()
            _ = child.wait()
        } catch {
            return nil
        }
        lines.wait(until: MonotonicClock().now + .seconds(2)) { $0.isOver ? () : nil }
        return ChronyTracking(lines.withLock { $0.first })
    }

    private func update(with tracking: ChronyTracking?, _ now: ClockPair) -> GroupClockReading? {
        state.withLock { state in
            if (now.distance - state.distance).magnitude > Self.step { state.steps += 1 }
            state.distance = now.distance
            state.reading = tracking.map { GroupClockReading($0, at: now, steps: state.steps) }
            return state.reading
        }
    }

    /// The last clock reading; `nil` if no reading is available.
    var reading: GroupClockReading? { state.withLock(\.reading) }

    /// The group's current time, in nanoseconds since 1970. Without a measurement, this is the time of this computer's
    /// clock.
    var now: Int64 { (Nanoseconds(ClockPair.now().utc) + Nanoseconds(reading?.offset_ns ?? 0)).count }

    /// Converts the group's time to CLOCK_MONOTONIC.
    ///
    /// - Parameter utc: Nanoseconds since 1970.
    /// - Returns: The corresponding time on CLOCK_MONOTONIC, which may be in the future.
    func monotonic(of utc: Int64) -> ClockTime {
        Self.monotonic(of: utc, ClockPair.now(), offset: Nanoseconds(reading?.offset_ns ?? 0))
    }

    /// Converts a time on CLOCK_MONOTONIC to the group's time, in nanoseconds since 1970.
    func utc(of time: ClockTime) -> Int64 {
        let now = ClockPair.now()
        return (Nanoseconds(now.utc) + Nanoseconds(reading?.offset_ns ?? 0) + (time - now.monotonic)).count
    }

    static func monotonic(of utc: Int64, _ now: ClockPair, offset: Nanoseconds) -> ClockTime {
        now.monotonic + (Nanoseconds(utc) - (Nanoseconds(now.utc) + offset))
    }
}

/// An output line of `chronyc -c tracking`.
struct ChronyTracking: Sendable, Equatable {
    /// Address or name of the source.
    let source: String
    /// UTC of the last measurement, in nanoseconds since 1970.
    let measuredAt: Int64
    /// Difference between the source's time and this computer's clock.
    let offset: Nanoseconds
    /// Frequency error of this computer's clock in parts per million. A positive value means that the clock
    /// is fast.
    let ppm: Double
    let rootDelay: Nanoseconds
    let rootDispersion: Nanoseconds

    /// Parses a line of chronyc's output.
    ///
    /// - Returns: `nil` if the line is invalid or chrony isn't synchronized to a source.
    init?(_ line: String) {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 14, fields.count < 32,
            fields[13].hasPrefix("Normal") || fields[13].hasSuffix("second"),
            fields[0] != "00000000", let measuredAt = Self.seconds(fields[3], most: 1e11),
            let offset = Self.seconds(fields[4], most: 1e9), let ppm = Double(fields[7]), ppm.isFinite,
            ppm.magnitude < 1e6, let rootDelay = Self.seconds(fields[10], most: 1e6), rootDelay >= .zero,
            let rootDispersion = Self.seconds(fields[11], most: 1e6), rootDispersion >= .zero
        else { return nil }
        source = fields[1].printable(limit: 100)
        (self.measuredAt, self.offset, self.ppm) = (measuredAt.count, offset, ppm)
        (self.rootDelay, self.rootDispersion) = (rootDelay, rootDispersion)
    }

    /// Parses a number of seconds with a limited absolute value.
    private static func seconds(_ text: String, most: Double) -> Nanoseconds? {
        guard let seconds = Double(text), seconds.isFinite, seconds.magnitude <= most else { return nil }
        // A Double has nanosecond resolution for an offset, but not for seconds since 1970.
        return .seconds(rounding: seconds)
    }

    /// Maximum error of the offset: root delay ÷ 2 + root dispersion.
    var bound: Nanoseconds { rootDelay / 2 + rootDispersion }
}
