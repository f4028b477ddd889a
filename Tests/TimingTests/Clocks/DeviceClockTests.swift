import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("a device's clock model")
struct DeviceClockTests {
    /// Errors of the clock models at one time.
    private struct ClockErrors {
        var errors: [Double] = []
        var residuals: [Double] = []
        var rateErrors: [Double] = []

        mutating func add(_ error: Nanoseconds, _ clock: DeviceClock, _ partsPerMillion: Double) {
            errors.append(error.inMilliseconds)
            residuals.append(clock.residual.inMilliseconds)
            rateErrors.append(abs(clock.partsPerMillion - partsPerMillion))
        }

        static func rootMeanSquare(_ values: [Double]) -> Double {
            (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
        }
    }

    /// The results of one minute with 40 cameras. Half of them are 300 ppm slow, and half of them are 300 ppm
    /// fast.
    private struct Minute {
        var after2 = ClockErrors()
        var after20 = ClockErrors()
        var after60 = ClockErrors()
        var frames = 0
        var outOfRangeCount = 0
        var restarts = 0

        init(rate: Double, noise: SimulatedDevice.Noise) {
            for seed in 1...40 as ClosedRange<UInt64> {
                let drift = seed.isMultiple(of: 2) ? 300.0 : -300
                measure(
                    SimulatedDevice(countsPerSecond: rate, partsPerMillion: drift, noise: noise, seed: seed),
                    rate: rate, drift: drift)
            }
        }

        private mutating func measure(_ device: SimulatedDevice, rate: Double, drift: Double) {
            var device = device
            var clock = DeviceClock(nominalSecondsPerCount: 1 / rate)
            let allowed = Nanoseconds(Int64(0.05 * device.interval)) + .microseconds(1500)
            for index in 0...Int64(60 * rate) {
                let error = clock.estimateTime(of: index, stamped: device.stamp(index)) - device.truth(index)
                if index > Int64(2 * rate) {
                    frames += 1
                    if error.magnitude > allowed { outOfRangeCount += 1 }
                }
                if index == Int64(2 * rate) { after2.add(error, clock, drift) }
                if index == Int64(20 * rate) { after20.add(error, clock, drift) }
                if index == Int64(60 * rate) { after60.add(error, clock, drift) }
            }
            restarts += clock.restarts
        }
    }

    private static let flat = [24.0, 30, 60].map { Minute(rate: $0, noise: .flat(.milliseconds(8))) }

    /// Returns the percentage of values beyond a limit.
    private static func percent(of values: [[Double]], beyond limit: Double) -> Double {
        let all = values.flatMap(\.self)
        return Double(all.filter { abs($0) > limit }.count) * 100 / Double(all.count)
    }

    @Test(
        "with 8 ms of uniform jitter and ±300 ppm, 99 % are within 4 ms after 2 s and 1 ms after 20 s"
    )
    func locks() {
        #expect(Self.percent(of: Self.flat.map(\.after2.errors), beyond: 4) <= 1)
        #expect(Self.percent(of: Self.flat.map(\.after20.errors), beyond: 1) <= 1)
        #expect(Self.flat.allSatisfy { $0.restarts == 0 })
    }

    @Test("after a minute, 99 % of the rates are within 5 parts per million")
    func rate() {
        #expect(Self.percent(of: Self.flat.map(\.after60.rateErrors), beyond: 5) <= 1)
    }

    @Test(
        "after 2 s, it keeps 99.5 % of the frames within 0.55 intervals plus 1.5 ms of their ticks"
    )
    func frames() {
        // With an exact capture time, a frame is within half an interval of its tick.
        for minute in Self.flat { #expect(minute.outOfRangeCount * 200 <= minute.frames) }
    }

    @Test(
        "it keeps 99.5 % of the ticks correct at any phase, in contrast to raw timestamps"
    )
    func rawStamps() {
        for rate in [24.0, 30, 60] {
            var (ticks, astray) = (0, 0)
            for seed in 1...6 as ClosedRange<UInt64> {
                var device = SimulatedDevice(
                    countsPerSecond: rate, partsPerMillion: 300, noise: .flat(.milliseconds(8)), seed: seed)
                var raw = Ticks(rate: rate, phase: Double(seed) / 6)
                var modeled = Ticks(rate: rate, phase: Double(seed) / 6)
                var clock = DeviceClock(nominalSecondsPerCount: 1 / rate)
                for index in 0...Int64(60 * rate) {
                    let (truth, stamp) = (device.truth(index), device.stamp(index))
                    let dated = clock.estimateTime(of: index, stamped: stamp)
                    raw.add(truth, dated: stamp)
                    modeled.add(truth, dated: dated)
                }
                ticks += raw.decided
                astray += raw.misplacedTickCount
                #expect(modeled.misplacedTickCount * 200 <= modeled.decided)
            }
            #expect(astray * 200 > ticks)
        }
    }

    /// Places frames on a grid of the camera's nominal rate by their estimated capture times, and checks each
    /// tick against the true ones.
    private struct Ticks {
        private var aligner: TrackAligner<ClockTime>
        private var next: Int64 = 0
        private var shown: ClockTime?
        private let start: ClockTime
        private let limit: Nanoseconds
        private(set) var decided = 0
        private(set) var misplacedTickCount = 0

        /// Creates the grid. `phase` is given in frame intervals.
        init(rate: Double, phase: Double) {
            let grid = FrameRate(Int64(rate), per: 1)
            start = ClockTime(nanoseconds: 9_000_000_000) + .seconds(rounding: phase / rate)
            limit = Nanoseconds(grid.interval.count * 55 / 100) + .microseconds(1500)
            aligner = TrackAligner(start: start, rate: grid, cameraInterval: grid.interval)
        }

        /// Counts ticks from the start of the grid, two seconds after the start of the device.
        mutating func add(_ truth: ClockTime, dated: ClockTime) {
            aligner.add(truth, capturedAt: dated)
            while true {
                let tick = start + Nanoseconds(aligner.rate.time(ofTick: next).nanoseconds)
                guard tick + .milliseconds(150) < dated else { return }
                if case .show(let frame) = aligner.choose(tick: next) { shown = frame }
                decided += 1
                if shown.map({ ($0 - tick).magnitude > limit }) ?? true { misplacedTickCount += 1 }
                next += 1
            }
        }
    }

    @Test(
        "its stated standard error is correct within a factor of two, for uniform and Gaussian noise"
    )
    func honesty() {
        for minute in Self.flat + [Minute(rate: 30, noise: .bell(.milliseconds(3)))] {
            for knowledge in [minute.after2, minute.after20, minute.after60] {
                let stated = ClockErrors.rootMeanSquare(knowledge.residuals)
                let real = ClockErrors.rootMeanSquare(knowledge.errors)
                #expect((0.5...2).contains(stated / real))
            }
        }
    }

    @Test("it locks after one to two seconds, and unlocks while timestamps agree on another line")
    func lock() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 100, noise: .flat(.milliseconds(8)), seed: 5)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<30 as Range<Int64> {
            _ = clock.estimateTime(of: index, stamped: device.stamp(index))
            #expect(!clock.isLocked)
        }
        for index in 30..<600 as Range<Int64> {
            _ = clock.estimateTime(of: index, stamped: device.stamp(index))
        }
        #expect(clock.isLocked)
        for index in 600..<630 as Range<Int64> {
            _ = clock.estimateTime(of: index, stamped: device.stamp(index) + .milliseconds(60))
        }
        #expect(!clock.isLocked)
        for index in 630..<750 as Range<Int64> {
            _ = clock.estimateTime(of: index, stamped: device.stamp(index) + .milliseconds(60))
        }
        #expect(clock.isLocked)
    }

    @Test("it follows a camera that runs half a percent or a thirtieth below its nominal rate")
    func falseRate() {
        for share in [0.995, 29.0 / 30] {
            var device = SimulatedDevice(
                countsPerSecond: 30 * share, partsPerMillion: 0, noise: .flat(.milliseconds(4)), seed: 8)
            var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
            for index in 0..<300 as Range<Int64> {
                let error =
                    (clock.estimateTime(of: index, stamped: device.stamp(index)) - device.truth(index))
                    .magnitude
                if index > 120 { #expect(error < .milliseconds(4)) }
            }
            #expect(clock.restarts <= 1)
        }
    }

    @Test("after an interruption, it moves to the new line immediately and keeps the rate")
    func interruption() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 150, noise: .flat(.milliseconds(8)), seed: 3)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<3600 as Range<Int64> {
            _ = clock.estimateTime(of: index, stamped: device.stamp(index))
        }
        clock.interrupt()
        // The device is interrupted for slightly more than 4 s. The difference from the old line is less than
        // the clamp.
        let shift = Nanoseconds.milliseconds(4012)
        var worst = Nanoseconds.zero
        for index in 3600..<3720 as Range<Int64> {
            let time = clock.estimateTime(of: index, stamped: device.stamp(index) + shift)
            let error = (time - (device.truth(index) + shift)).magnitude
            if index >= 3660 { worst = max(worst, error) }
        }
        #expect(worst < .milliseconds(3))
        #expect(abs(clock.partsPerMillion - 150) < 30)
        #expect(clock.restarts == 1)
    }

    @Test("timestamps that are not later than the previous one are counted")
    func nonMonotonic() {
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<100 as Range<Int64> {
            let time = ClockTime(nanoseconds: index * 33_333_333)
            _ = clock.estimateTime(of: index, stamped: index % 10 == 9 ? time - .milliseconds(40) : time)
        }
        #expect(clock.nonMonotonic == 10)
        #expect(clock.restarts == 0)
    }
}
