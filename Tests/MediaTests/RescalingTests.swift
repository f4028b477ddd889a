import MulticamMedia
import Testing

@Suite("rescaling of times and rates")
struct RescalingTests {
    @Test("a count is rescaled to the nearest integer, with halves rounded away from zero")
    func nearest() {
        #expect(Int64(1).rescaled(from: 3, to: 1_000_000_000) == 333_333_333)
        #expect(Int64(2).rescaled(from: 3, to: 1_000_000_000) == 666_666_667)
        #expect(Int64(-2).rescaled(from: 3, to: 1_000_000_000) == -666_666_667)
        #expect(Int64(1).rescaled(from: 2, to: 1) == 1)
        #expect(Int64(-1).rescaled(from: 2, to: 1) == -1)
    }

    @Test("rescaling is exact if the product needs more than 64 bits, and clamped if the result does")
    func large() {
        // These are 60 hours of samples. `count * 1_000_000_000` overflows `Int64`.
        let samples = Int64(60 * 3600 * 48_000)
        #expect(samples.rescaled(from: 48_000, to: 1_000_000_000) == 60 * 3600 * 1_000_000_000)
        #expect(Int64.max.rescaled(from: 1_000_000_000, to: 48_000) == 442_721_857_769_029)
        #expect(Int64.max.rescaled(from: 48_000, to: 1_000_000_000) == .max)
        #expect(Int64.min.rescaled(from: 48_000, to: 1_000_000_000) == .min)
        #expect(Int64.min.rescaled(from: 7, to: 7) == .min)
    }

    @Test(
        "the ticks before a time are counted correctly for any time",
        arguments: [FrameRate(30), FrameRate(30_000, per: 1001), FrameRate(1, per: 60), FrameRate(48_000)])
    func grid(rate: FrameRate) {
        for time in [1, 999_999_999, 1_000_000_000, 33_366_667, 86_400_000_000_001, Int64.max / 2, Int64.max]
        {
            let count = rate.ticks(before: MediaTime(nanoseconds: time))
            #expect(rate.time(ofTick: count - 1) < MediaTime(nanoseconds: time))
            #expect(rate.time(ofTick: count) >= MediaTime(nanoseconds: time))
        }
        #expect(rate.time(ofTick: .max) == MediaTime(nanoseconds: .max))
        #expect(rate.time(ofTick: -1).nanoseconds == -rate.time(ofTick: 1).nanoseconds)
    }

    @Test("sums of times are clamped instead of overflowing")
    func sums() {
        let (far, past) = (Nanoseconds(.max), Nanoseconds(.min))
        #expect(far + far == far)
        #expect(past + past == past)
        #expect(past - far == past)
        #expect(far - past == far)
        #expect(far * -2 == past)
        #expect(-past == far)
        #expect(past.magnitude == far)
        #expect(Nanoseconds.seconds(.max) == far)
        #expect(ClockTime(nanoseconds: .max) - ClockTime(nanoseconds: .min) == far)
        #expect(ClockTime(nanoseconds: .min) - far == ClockTime(nanoseconds: .min))
        #expect(
            MediaTime(ClockTime(nanoseconds: .max), since: ClockTime(nanoseconds: -1)).nanoseconds == .max)
    }

    @Test("rounding to an integer clamps to its range, and NaN becomes 0")
    func whole() {
        #expect(Int64(rounding: 2.5) == 3)
        #expect(Int64(rounding: -2.5) == -3)
        #expect(Int64(rounding: 2.9, .towardZero) == 2)
        #expect(Int64(rounding: 1e300) == .max)
        #expect(Int64(rounding: -1e300) == .min)
        #expect(Int64(rounding: 0x1p63) == .max)
        #expect(Int64(rounding: -0x1p63) == .min)
        #expect(Int(rounding: Double.nan) == 0)
        #expect(UInt8(rounding: -1.0) == 0)
        #expect(UInt8(rounding: Float.infinity) == 255)
        #expect(Nanoseconds.seconds(rounding: 1e12) == Nanoseconds(.max))
    }

    @Test(
        "sleeping until a time before the machine was started returns immediately",
        .timeLimit(.minutes(240))
    )
    func past() async {
        await withCheckedContinuation { continuation in
            let clock = MonotonicClock()
            clock.startThreadWhenPossible(named: "past") {
                let isReached = clock.sleep(
                    until: ClockTime(nanoseconds: -3_600_500_000_000), unless: Cancellation())
                #expect(isReached)
                continuation.resume()
            }
        }
    }
}
