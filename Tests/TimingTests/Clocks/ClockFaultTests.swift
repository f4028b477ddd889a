import MulticamMedia
import Testing

@testable import MulticamTiming

/// Tests cameras with uniform jitter of ±8 ms and a fault 20 s after their start.
@Suite("a device's clock model after faults")
struct ClockFaultTests {
    private static let rates = [24.0, 30, 60]
    private static let eventSeconds = 20.0

    /// The errors of a clock model after the fault.
    private struct Outcome {
        /// Largest errors in milliseconds, since the fault and since 2 s after it.
        var worst = 0.0
        var worstLater = 0.0
        var restarts = 0
    }

    /// Maps a time and a count to the true capture time and the timestamp, in seconds; `nil` for a lost
    /// frame.
    private typealias Event = (_ time: Double, _ count: Int64) -> (truth: Double, stamped: Double)?

    private static func outcomes(
        at rate: Double, seconds: Double = 26, _ event: Event
    ) -> [Outcome] {
        (1...3 as ClosedRange<UInt64>).map { seed in
            var device = SimulatedDevice(
                countsPerSecond: rate, partsPerMillion: 120, noise: .flat(.milliseconds(8)), seed: seed)
            var clock = DeviceClock(nominalSecondsPerCount: 1 / rate)
            var outcome = Outcome()
            for count in 0..<Int64(seconds * rate) {
                let time = Double(count) * device.interval / 1e9
                guard let (truth, stamped) = event(time, count) else { continue }
                let dated = clock.estimateTime(of: count, stamped: device.jittered(instant(stamped)))
                let error = (dated - instant(truth)).magnitude.inMilliseconds
                if time > eventSeconds { outcome.worst = max(outcome.worst, error) }
                if time > eventSeconds + 2 { outcome.worstLater = max(outcome.worstLater, error) }
            }
            outcome.restarts = clock.restarts
            return outcome
        }
    }

    private static func instant(_ seconds: Double) -> ClockTime {
        ClockTime(nanoseconds: 9_000_000_000) + .seconds(rounding: seconds)
    }

    private static func isDuring(_ time: Double, _ seconds: Double) -> Bool {
        (eventSeconds..<eventSeconds + seconds).contains(time)
    }

    @Test("one outlier, and eight in a row, do not move the line", arguments: rates)
    func wild(rate: Double) {
        for length in [1, 8] as [Int64] {
            let begin = Int64(20.5 * rate)
            for outcome in Self.outcomes(
                at: rate,
                { time, count in
                    let isWild = (begin..<begin + length).contains(count)
                    return (time, isWild ? time + Double(count * 7919 % 13 - 6) / 15 : time)
                })
            {
                #expect(outcome.worst < 1)
                #expect(outcome.restarts == 0)
            }
        }
    }

    @Test(
        "a host with timestamps 12, 30, or 200 ms late for a second neither shifts nor restarts the line",
        arguments: rates)
    func late(rate: Double) {
        for lateness in [0.012, 0.03, 0.2] {
            for outcome in Self.outcomes(
                at: rate, { time, _ in (time, Self.isDuring(time, 1) ? time + lateness : time) })
            {
                #expect(outcome.worst < 2.5)
                #expect(outcome.restarts == 0)
            }
        }
    }

    @Test("frames that arrive in a burst after a stall keep their capture times", arguments: rates)
    func stall(rate: Double) {
        for length in [0.3, 1, 2.5] {
            for outcome in Self.outcomes(
                at: rate,
                { time, _ in (time, Self.isDuring(time, length) ? Self.eventSeconds + length : time) })
            {
                #expect(outcome.worst < 1)
                #expect(outcome.restarts == 0)
            }
        }
    }

    @Test("capture times are correct within 2 s after a jump of the device's clock", arguments: rates)
    func jump(rate: Double) {
        for jump in [-3600, -0.1, -0.03, 1.0 / 60, 0.03, 0.1, 1, 100] {
            for outcome in Self.outcomes(
                at: rate,
                { time, _ in
                    let jumped = time > Self.eventSeconds ? time + jump : time
                    return (jumped, jumped)
                })
            {
                #expect(outcome.worstLater < 4.5)
                #expect(outcome.restarts == 1)
            }
        }
    }

    @Test(
        "the line follows a camera that halves its rate in low light, and its return, within 2 s",
        arguments: rates)
    func dark(rate: Double) {
        let halved = Self.outcomes(at: rate) { time, _ in
            let slow = time + max(time - Self.eventSeconds, 0)
            return (slow, slow)
        }
        for outcome in halved {
            #expect(outcome.worstLater < 5)
            #expect(outcome.restarts == 1)
        }
        // The period of low light lasts from 16 s to 20 s of counts.
        let back = Self.outcomes(at: rate) { time, _ in
            let slow = time < 16 ? time : time < 20 ? 16 + (time - 16) * 2 : 24 + time - 20
            return (slow, slow)
        }
        for outcome in back {
            #expect(outcome.worstLater < 3)
            #expect(outcome.restarts == 2)
        }
    }

    @Test("when a camera halves its rate, errors stay below 2.5 frame intervals", arguments: [24.0, 30])
    func darkAtOnce(rate: Double) {
        let halved = Self.outcomes(at: rate) { time, count in
            // The first interval in low light is already longer.
            let begin = (Self.eventSeconds * rate).rounded(.up) / rate
            let slow = time + max(time - begin, 0)
            return (slow, slow)
        }
        for outcome in halved { #expect(outcome.worst < 2.5 * 1000 / rate) }
    }

    @Test("losing every tenth frame, or all for three seconds, does not affect the line", arguments: rates)
    func missing(rate: Double) {
        for outcome in Self.outcomes(
            at: rate,
            { time, count in count * 7919 % 10 == 0 || Self.isDuring(time, 3) ? nil : (time, time) })
        {
            #expect(outcome.worst < 1)
            #expect(outcome.restarts == 0)
        }
    }

    @Test("if a sound card loses one second of audio, capture times are correct after a third of a second")
    func lostSecond() {
        var device = SimulatedDevice(
            countsPerSecond: 48_000, partsPerMillion: -90, noise: .flat(.milliseconds(2)), seed: 4)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 48_000, priorPartsPerMillion: 50)
        for slice in 0..<3000 as Range<Int64> {
            let lost = slice >= 2000 ? Nanoseconds.seconds(1) : .zero
            let dated = clock.estimateTime(of: slice * 480, stamped: device.stamp(slice * 480) + lost)
            if slice > 2033 {
                #expect((dated - device.truth(slice * 480) - lost).magnitude < .milliseconds(1))
            }
        }
        #expect(clock.restarts == 1)
        #expect(abs(clock.partsPerMillion + 90) < 5)
    }

    @Test("if a device's count restarts at 0, capture times are correct from the third timestamp on")
    func countRestarts() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 50, noise: .flat(.milliseconds(1)), seed: 6)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<1200 as Range<Int64> {
            let dated = clock.estimateTime(of: index % 600, stamped: device.stamp(index))
            if index < 600 || index > 601 {
                #expect((dated - device.truth(index)).magnitude < .milliseconds(2))
            }
        }
        #expect(clock.restarts == 1)
    }

    @Test("duplicate and late counts do not affect capture times")
    func disorder() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 0, noise: .flat(.milliseconds(1)), seed: 2)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<900 as Range<Int64> {
            let count = index % 20 == 5 ? index - 1 : index % 20 == 15 ? index - 3 : index
            let dated = clock.estimateTime(of: count, stamped: device.stamp(count))
            #expect((dated - device.truth(count)).magnitude < .milliseconds(2))
        }
        #expect(clock.restarts == 0)
    }

    @Test("an extreme count from a driver does not affect capture times")
    func absurdCount() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 0, noise: .flat(.milliseconds(1)), seed: 2)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<300 as Range<Int64> {
            if index == 200 { _ = clock.estimateTime(of: .max / 2, stamped: device.stamp(index)) }
            let dated = clock.estimateTime(of: index, stamped: device.stamp(index))
            #expect((dated - device.truth(index)).magnitude < .milliseconds(2))
        }
        #expect(clock.restarts == 0)
    }

    @Test("timestamps that scatter by ±25 ms, more than the clamp, widen it and are followed")
    func scattered() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 80, noise: .flat(.milliseconds(25)), seed: 12)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        var worst = Nanoseconds.zero
        for index in 0..<3600 as Range<Int64> {
            let error = clock.estimateTime(of: index, stamped: device.stamp(index)) - device.truth(index)
            if index > 1800 { worst = max(worst, error.magnitude) }
        }
        #expect(worst < .milliseconds(4))
        #expect(clock.jitter > .milliseconds(12))
    }
}
