import Media
import Testing

@testable import Session

@Suite("a device's clock model")
struct DeviceClockTests {
    /// A camera whose stamps jitter uniformly.
    private struct Camera {
        let interval: Double
        let jitter: Nanoseconds
        var generator: SeededGenerator

        init(rate: FrameRate, partsPerMillion: Double, jitter: Nanoseconds, seed: UInt64) {
            interval = 1e9 / rate.perSecond / (1 + partsPerMillion * 1e-6)
            self.jitter = jitter
            generator = SeededGenerator(seed: seed)
        }

        func truth(_ count: Int64) -> ClockTime {
            ClockTime(nanoseconds: 7_000_000_000 + Int64((Double(count) * interval).rounded()))
        }

        mutating func stamp(_ count: Int64) -> ClockTime {
            let noise = Int64.random(in: -jitter.count...jitter.count, using: &generator)
            return truth(count) + Nanoseconds(noise)
        }
    }

    @Test(
        "with 8 ms of jitter it is within 4 ms after 2 s and within 1 ms after 20 s, in 99 of 100 cases",
        arguments: [0.0, 150, -200])
    func locks(partsPerMillion: Double) {
        var (early, late, count) = (0, 0, 0)
        for seed in 1...200 as ClosedRange<UInt64> {
            let rate = FrameRate(30, per: 1)
            var camera = Camera(
                rate: rate, partsPerMillion: partsPerMillion, jitter: .milliseconds(8), seed: seed)
            var clock = DeviceClock(nominalSecondsPerCount: 1 / rate.perSecond)
            for index in 0..<620 as Range<Int64> {
                let error = (clock.time(of: index, stamped: camera.stamp(index)) - camera.truth(index))
                    .magnitude
                if index == 60, error > .milliseconds(4) { early += 1 }
                if index == 600, error > .milliseconds(1) { late += 1 }
            }
            count += 1
        }
        #expect(early * 100 <= count)
        #expect(late * 100 <= count)
    }

    @Test("after two minutes it knows the rate within 5 parts per million", arguments: [150.0, -80, 0])
    func rate(partsPerMillion: Double) {
        let rate = FrameRate(30_000, per: 1001)
        var camera = Camera(rate: rate, partsPerMillion: partsPerMillion, jitter: .milliseconds(5), seed: 11)
        var clock = DeviceClock(nominalSecondsPerCount: 1 / rate.perSecond)
        for index in 0..<3600 as Range<Int64> { _ = clock.time(of: index, stamped: camera.stamp(index)) }
        #expect(abs(clock.partsPerMillion - partsPerMillion) < 5)
    }

    @Test("a camera that halves its rate is followed again within 2 s")
    func rateChange() {
        let rate = FrameRate(30, per: 1)
        var clock = DeviceClock(nominalSecondsPerCount: 1 / rate.perSecond)
        for index in 0..<90 as Range<Int64> {
            _ = clock.time(of: index, stamped: ClockTime(nanoseconds: index * 33_333_333))
        }
        var error = Nanoseconds.zero
        for index in 90..<120 as Range<Int64> {
            let truth = ClockTime(nanoseconds: 90 * 33_333_333 + (index - 90) * 66_666_667)
            error = (clock.time(of: index, stamped: truth) - truth).magnitude
        }
        #expect(error < .milliseconds(4))
    }

    @Test("one wild stamp is held to the line")
    func outlier() {
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<300 as Range<Int64> {
            _ = clock.time(of: index, stamped: ClockTime(nanoseconds: index * 33_333_333))
        }
        let truth = ClockTime(nanoseconds: 300 * 33_333_333)
        let dated = clock.time(of: 300, stamped: truth + .milliseconds(400))
        #expect((dated - truth).magnitude < .milliseconds(1))
        #expect(clock.restarts == 0)
    }

    @Test("After an interruption the pictures lie on their new line at once, and the rate is still known")
    func interruption() {
        let rate = FrameRate(30, per: 1)
        var camera = Camera(rate: rate, partsPerMillion: 150, jitter: .milliseconds(8), seed: 3)
        var clock = DeviceClock(nominalSecondsPerCount: 1 / rate.perSecond)
        for index in 0..<3600 as Range<Int64> { _ = clock.time(of: index, stamped: camera.stamp(index)) }
        clock.interrupt()
        // Away for 4 s and a bit; less than the clamp off the old line.
        let shift = Nanoseconds.milliseconds(4012)
        var worst = Nanoseconds.zero
        for index in 3600..<3720 as Range<Int64> {
            let time = clock.time(of: index, stamped: camera.stamp(index) + shift)
            let error = (time - (camera.truth(index) + shift)).magnitude
            if index >= 3660 { worst = max(worst, error) }
        }
        #expect(worst < .milliseconds(3))
        #expect(abs(clock.partsPerMillion - 150) < 30)
        #expect(clock.restarts == 1)
    }
}
