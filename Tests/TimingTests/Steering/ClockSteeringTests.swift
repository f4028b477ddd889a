import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamTiming

@Suite("a session clock that follows the group time")
struct ClockSteeringTests {
    private static let hours = 10.0
    private static let start = 40.0

    /// Results of a simulated recording.
    private struct Course {
        /// Maximum of a clap's error minus the error bound at its time, in nanoseconds.
        var beyond = -Double.infinity
        var largest = 0.0
        var first = 0.0
        var last = 0.0
        var turn = 0.0
        var isForward = true
        var frames: Int64 = 0
        var summary: ClockSteering.Summary?
    }

    /// Simulates a recording with a measurement every four seconds and a clap every second.
    private func record(_ computer: GroupComputer, hours: Double = Self.hours, begun: Double = 36) throws
        -> Course
    {
        var (computer, steering, course) = (computer, ClockSteering(), Course())
        let utc = GroupComputer.epoch + Int64(computer.truth(Self.start))
        var t0: ClockTime?
        var (before, rate) = (ClockTime(nanoseconds: .min), nil as Double?)
        for second in 0...Int(hours * 3600 + Self.start) {
            let now = Double(second)
            // In each hour, the computer can't reach its time source for ten minutes, and the network is busy
            // for five.
            let place = second % 3600
            let age = place >= 2000 && place < 2600 ? Double(place - 2000) : 0
            let way = place >= 3000 && place < 3300 ? 200_000.0 : 3000
            let measurement = computer.measurement(now, age: age, way: way)
            // The node process is unavailable for a minute as well.
            if second.isMultiple(of: 4), !(1000..<1060).contains(place) {
                try steering.update(with: measurement, now: computer.stamp(now + 0.002))
            }
            if now == begun {
                t0 = steering.begin(at: computer.stamp(Self.start), utc: utc, now: computer.stamp(now + 0.01))
            }
            let stamp = computer.stamp(now + 0.5)
            let time = steering.time(stamped: stamp)
            course.isForward = course.isForward && time > before
            before = time
            guard let t0, now >= Self.start else { continue }
            let error = Double((time - t0).count) - (computer.truth(now + 0.5) - computer.truth(Self.start))
            course.beyond = max(course.beyond, abs(error) - Double(measurement.bound.count))
            course.largest = max(course.largest, abs(error))
            if now == Self.start { course.first = error }
            course.last = error
            let present = steering.partsPerMillion(at: stamp)
            course.turn = max(course.turn, abs(present - (rate ?? present)))
            rate = present
        }
        // The conversions of T0 and of a time one hour later do not change.
        let stamp = computer.stamp(Self.start)
        if begun <= Self.start { #expect(abs((steering.stamp(of: try #require(t0)) - stamp).count) < 20_000) }
        let later = steering.time(stamped: stamp + .seconds(3600))
        #expect(abs((steering.stamp(of: later) - stamp - .seconds(3600)).count) <= 1)
        let end = try #require(t0) + .seconds(Int64(hours * 3600))
        course.frames = FrameRate(30, per: 1).ticks(before: MediaTime(end, since: try #require(t0)))
        course.summary = steering.summary
        // The end in group time is also the end on the session clock, with the exact number of frames.
        let stop = steering.stamp(of: end)
        let passed = Double((stop - computer.stamp(0)).count) / 1e9
        #expect(abs(computer.truth(passed) - computer.truth(Self.start) - hours * 3600e9) < 1e6)
        return course
    }

    @Test(
        "keeps all claps of ten hours within the bound plus 1 ms, with crystals that are 50 ppm off",
        arguments: [(50.0, 1.0), (-50, 1), (12, 2)])
    func tenHours(ppm: Double, wander: Double) throws {
        let computer = GroupComputer(
            ppm: ppm, wander: wander, boot: 5_000_000_000_000, generator: SeededGenerator(seed: 7))
        let course = try record(computer)
        #expect(course.beyond < 1e6)
        #expect(abs(course.first) < 20e3 && abs(course.last) < 1e6)
        #expect(course.isForward)
        #expect(course.turn <= 15.001)
        #expect(course.frames == 30 * 36_000)
        let summary = try #require(course.summary)
        #expect(summary.rejected == 0 && summary.steps == 0)
        #expect(summary.accepted > 8_500)
        #expect(summary.largestBound >= .microseconds(590))
        // Without steering, the length of the track would have this error.
        #expect(abs(summary.gained.inSeconds - ppm * 1e-6 * 36_000) < 0.08)
    }

    @Test("begins at the T0 computed from the measurements, not from one reading of the clock")
    func beginning() throws {
        let computer = GroupComputer(
            ppm: 50, wander: 0, boot: 0, generator: SeededGenerator(seed: 3))
        // T0 is announced four seconds ahead. At 50 ppm, a single reading would be 0.2 ms off.
        #expect(abs(try record(computer, hours: 0.02).first) < 5e3)
    }

    @Test("has the same ticks as the other nodes if the node joins the recording one minute late")
    func late() throws {
        let computer = GroupComputer(
            ppm: -50, wander: 0, boot: 0, generator: SeededGenerator(seed: 3))
        let course = try record(computer, hours: 0.1, begun: Self.start + 60)
        #expect(abs(course.last) < 50e3 && course.beyond < 1e6)
    }

    /// Returns a steered clock ten seconds after the start of a recording.
    private func steered() throws -> (ClockSteering, GroupComputer) {
        var (steering, computer) = (
            ClockSteering(),
            GroupComputer(ppm: 30, wander: 0, boot: 0, generator: SeededGenerator(seed: 5))
        )
        for second in 0..<60 {
            let now = computer.stamp(Double(second))
            try steering.update(with: computer.measurement(Double(second)), now: now)
            if second == 50 {
                _ = steering.begin(
                    at: now, utc: GroupComputer.epoch + Int64(computer.truth(50)), now: now)
            }
        }
        return (steering, computer)
    }

    private enum Hostile: CaseIterable {
        case bound, negativeBound, old, soon, future, step, hugeStep, stamp
    }

    @Test("rejects implausible measurements and continues unchanged", arguments: Hostile.allCases)
    private func refusals(_ hostile: Hostile) throws {
        var (steering, computer) = try steered()
        let now = computer.stamp(60)
        let other = computer.stamp(90)
        let before = (steering.time(stamped: now), steering.time(stamped: other))
        var measurement = computer.measurement(60)
        switch hostile {
        case .bound:
            measurement = ClockMeasurement(stamp: now, utc: measurement.utc, bound: .seconds(2))
        case .negativeBound:
            measurement = ClockMeasurement(stamp: now, utc: measurement.utc, bound: Nanoseconds(-1))
        case .old: measurement = computer.measurement(58)
        case .soon: measurement = computer.measurement(60.5)
        case .future: measurement = computer.measurement(90)
        case .step:
            measurement = ClockMeasurement(
                stamp: now, utc: measurement.utc + 11_000_000, bound: measurement.bound)
        case .hugeStep: measurement = ClockMeasurement(stamp: now, utc: .max, bound: measurement.bound)
        case .stamp:
            measurement = ClockMeasurement(
                stamp: ClockTime(nanoseconds: .min), utc: .min, bound: measurement.bound)
        }
        #expect(throws: ClockMeasurementError.self) { try steering.update(with: measurement, now: now) }
        #expect(steering.time(stamped: now) == before.0 && steering.time(stamped: other) == before.1)
        #expect(steering.summary?.rejected == 1)
    }

    @Test("rejects a group time that deviates by more than 500 ppm, even if it does so gradually")
    func rate() throws {
        var (steering, computer) = try steered()
        var refused = 0
        for second in 60..<600 {
            let measured = computer.measurement(Double(second))
            // Each change is small enough for a step, but their sum is not.
            let utc = measured.utc + Int64(second - 60) * 700_000
            do throws(ClockMeasurementError) {
                try steering.update(
                    with: ClockMeasurement(stamp: measured.stamp, utc: utc, bound: measured.bound),
                    now: measured.stamp)
            } catch {
                refused += 1
            }
            #expect(abs(steering.partsPerMillion(at: measured.stamp)) <= 500)
        }
        #expect(refused > 400)
    }

    @Test("does not follow a step of the group time, but continues to follow its rate")
    func step() throws {
        var (steering, computer) = try steered()
        let length: Int64 = 5_000_000_000
        let begin = steering.time(stamped: computer.stamp(60))
        for second in 60..<3660 {
            let measured = computer.measurement(Double(second))
            do throws(ClockMeasurementError) {
                try steering.update(
                    with: ClockMeasurement(
                        stamp: measured.stamp, utc: measured.utc + length, bound: measured.bound),
                    now: measured.stamp)
            } catch {
                #expect(second < 64)
            }
        }
        let passed = steering.time(stamped: computer.stamp(3660)) - begin
        #expect(abs(Double(passed.count) - (computer.truth(3660) - computer.truth(60))) < 50e3)
        #expect(steering.summary?.steps == 1)
    }

    @Test(
        "runs at the rate of CLOCK_MONOTONIC outside of a recording and without measurements of the group time"
    )
    func unsteered() throws {
        var (steering, computer) = (
            ClockSteering(),
            GroupComputer(ppm: 50, wander: 0, boot: 0, generator: SeededGenerator(seed: 5))
        )
        for second in 0..<60 {
            try steering.update(
                with: computer.measurement(Double(second)), now: computer.stamp(Double(second)))
        }
        #expect(steering.time(stamped: computer.stamp(60)) == computer.stamp(60))
        #expect(steering.summary == nil && steering.utc(of: computer.stamp(60)) == nil)
        let now = computer.stamp(60)
        let start = steering.begin(at: now, utc: GroupComputer.epoch + Int64(computer.truth(60)), now: now)
        #expect(steering.utc(of: start) == GroupComputer.epoch + Int64(computer.truth(60)))
        steering.end(now: computer.stamp(160))
        let turning = steering.time(stamped: computer.stamp(160)) - computer.stamp(160)
        #expect(abs(turning.count - 5_000_000) < 100_000)
        let gained = steering.time(stamped: computer.stamp(165)) - computer.stamp(165)
        #expect(steering.time(stamped: computer.stamp(1000)) - computer.stamp(1000) == gained)
        var other = ClockSteering()
        #expect(other.begin(at: computer.stamp(7), utc: 12, now: computer.stamp(5)) == computer.stamp(7))
        #expect(other.time(stamped: computer.stamp(500)) == computer.stamp(500))
    }

    @Test(
        "does not treat an error of the local clock as drift if T0 was set from that clock"
    )
    func firstMeasurement() throws {
        var (steering, computer) = (
            ClockSteering(),
            GroupComputer(ppm: 20, wander: 0, boot: 0, generator: SeededGenerator(seed: 5))
        )
        _ = steering.begin(
            at: computer.stamp(3), utc: GroupComputer.epoch + 900_000_000_000, now: computer.stamp(1))
        for second in 10..<100 {
            try steering.update(
                with: computer.measurement(Double(second)), now: computer.stamp(Double(second)))
        }
        #expect(abs(steering.partsPerMillion(at: computer.stamp(99)) - 20) < 1)
        #expect(steering.summary?.steps == 1)
    }

    @Test(
        "changes its rate by at most 15 ppm per second at any measurement rate, and returns as slowly without measurements"
    )
    func turns() throws {
        var (steering, computer) = try steered()
        var rates: [Double] = []
        for tenth in 600..<900 {
            let now = computer.stamp(Double(tenth) / 10)
            if tenth < 700 {
                // The group time is off by one millisecond, which is less than a step.
                let measured = computer.measurement(Double(tenth) / 10)
                try steering.update(
                    with: ClockMeasurement(stamp: now, utc: measured.utc + 1_000_000, bound: measured.bound),
                    now: now)
            }
            rates.append(steering.partsPerMillion(at: now))
        }
        // Ten values correspond to one second. The rate changes in steps of a fifth of a second, so the limit
        // includes one more step.
        for (before, after) in zip(rates, rates.dropFirst(10)) { #expect(abs(after - before) < 18.1) }
        #expect((rates.max() ?? 0) > 100)
        // Without measurements, the clock settles at the last measured rate.
        #expect(rates[140...].contains { abs($0 - rates[299]) > 30 } && rates[290] == rates[299])
    }

    @Test("converts T0 and the last hours exactly in a recording of several days")
    func days() {
        var line = SteeredLine()
        func stamp(_ seconds: Int64) -> ClockTime { ClockTime(nanoseconds: seconds * 1_000_000_000) }
        line.setRate(at: stamp(1), to: 30)
        let start = line.time(stamped: stamp(3))
        for second in 4..<300_000 {
            line.setRate(at: stamp(Int64(second)), to: second.isMultiple(of: 2) ? 40 : 60)
        }
        #expect(line.stamp(of: start) == stamp(3))
        for second: Int64 in [250_000, 280_000, 299_000] {
            #expect(abs((line.stamp(of: line.time(stamped: stamp(second))) - stamp(second)).count) <= 1)
        }
        let middle = line.time(stamped: stamp(100_000)) - start
        #expect(abs(middle.inSeconds - 99_997 * 1.000_05) < 1e-4)
    }

    @Test("has an inverse that is exact to the nanosecond")
    func inverse() throws {
        let (steering, computer) = try steered()
        for tenth in 0..<1000 {
            let stamp = computer.stamp(Double(tenth) / 10)
            #expect(abs((steering.stamp(of: steering.time(stamped: stamp)) - stamp).count) <= 1)
        }
    }
}
