import Media
import Testing

@testable import Timing

/// Cameras with ±8 ms of flat jitter that something happens to, 20 s after their start.
@Suite("a device's clock model in trouble")
struct ClockFaultTests {
    private static let rates = [24.0, 30, 60]
    private static let eventSeconds = 20.0

    /// What a clock made of a camera after the event.
    private struct Outcome {
        /// Off the truth by more than 4 ms at any time, and later than 2 s after the event, in milliseconds.
        var worst = 0.0
        var worstLater = 0.0
        var restarts = 0
    }

    /// When the frame at a time was taken in truth, and when it is said to have been, in seconds.
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
                let dated = clock.time(of: count, stamped: device.jittered(instant(stamped)))
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

    @Test("a wild stamp, and eight in a row, are held to the line", arguments: rates)
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
        "a host that stamps 12, 30 or 200 ms late for a second neither drags the line nor restarts it",
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

    @Test("frames that come in a burst after a stall are dated as if there had been none", arguments: rates)
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

    @Test("after a jump of the device's clock the frames are right again within 2 s", arguments: rates)
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
        "a camera that halves its rate in the dark is followed within 2 s, and so is its return",
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
        // Dark from 12 s, for 4 s of counts, light again from 20 s on.
        let back = Self.outcomes(at: rate) { time, _ in
            let slow = time < 16 ? time : time < 20 ? 16 + (time - 16) * 2 : 24 + time - 20
            return (slow, slow)
        }
        for outcome in back {
            #expect(outcome.worstLater < 3)
            #expect(outcome.restarts == 2)
        }
    }

    @Test("in the dark and in the light again a camera's third frame is in place", arguments: [24.0, 30])
    func darkAtOnce(rate: Double) {
        let halved = Self.outcomes(at: rate) { time, count in
            // The interval in which it goes dark is long already.
            let begin = (Self.eventSeconds * rate).rounded(.up) / rate
            let slow = time + max(time - begin, 0)
            return (slow, slow)
        }
        for outcome in halved { #expect(outcome.worst < 2.5 * 1000 / rate) }
    }

    @Test("lost frames, one in ten, and three seconds without any leave the line alone", arguments: rates)
    func missing(rate: Double) {
        for outcome in Self.outcomes(
            at: rate,
            { time, count in count * 7919 % 10 == 0 || Self.isDuring(time, 3) ? nil : (time, time) })
        {
            #expect(outcome.worst < 1)
            #expect(outcome.restarts == 0)
        }
    }

    @Test("a sound card that loses a second is right again within a third of one")
    func lostSecond() {
        var device = SimulatedDevice(
            countsPerSecond: 48_000, partsPerMillion: -90, noise: .flat(.milliseconds(2)), seed: 4)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 48_000, priorPartsPerMillion: 50)
        for slice in 0..<3000 as Range<Int64> {
            let lost = slice >= 2000 ? Nanoseconds.seconds(1) : .zero
            let dated = clock.time(of: slice * 480, stamped: device.stamp(slice * 480) + lost)
            if slice > 2033 {
                #expect((dated - device.truth(slice * 480) - lost).magnitude < .milliseconds(1))
            }
        }
        #expect(clock.restarts == 1)
        #expect(abs(clock.partsPerMillion + 90) < 5)
    }

    @Test("a device that counts from 0 again is followed from the third stamp on")
    func countRestarts() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 50, noise: .flat(.milliseconds(1)), seed: 6)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<1200 as Range<Int64> {
            let dated = clock.time(of: index % 600, stamped: device.stamp(index))
            if index < 600 || index > 601 {
                #expect((dated - device.truth(index)).magnitude < .milliseconds(2))
            }
        }
        #expect(clock.restarts == 1)
    }

    @Test("a count that comes twice, and one that comes late, change nothing")
    func disorder() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 0, noise: .flat(.milliseconds(1)), seed: 2)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<900 as Range<Int64> {
            let count = index % 20 == 5 ? index - 1 : index % 20 == 15 ? index - 3 : index
            let dated = clock.time(of: count, stamped: device.stamp(count))
            #expect((dated - device.truth(count)).magnitude < .milliseconds(2))
        }
        #expect(clock.restarts == 0)
    }

    @Test("the widest count that a driver can invent is dated without harm")
    func absurdCount() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 0, noise: .flat(.milliseconds(1)), seed: 2)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        for index in 0..<300 as Range<Int64> {
            if index == 200 { _ = clock.time(of: .max / 2, stamped: device.stamp(index)) }
            let dated = clock.time(of: index, stamped: device.stamp(index))
            #expect((dated - device.truth(index)).magnitude < .milliseconds(2))
        }
        #expect(clock.restarts == 0)
    }

    @Test("stamps that scatter by ±25 ms, beyond the clamp, widen it and are followed")
    func scattered() {
        var device = SimulatedDevice(
            countsPerSecond: 30, partsPerMillion: 80, noise: .flat(.milliseconds(25)), seed: 12)
        var clock = DeviceClock(nominalSecondsPerCount: 1.0 / 30)
        var worst = Nanoseconds.zero
        for index in 0..<3600 as Range<Int64> {
            let error = clock.time(of: index, stamped: device.stamp(index)) - device.truth(index)
            if index > 1800 { worst = max(worst, error.magnitude) }
        }
        #expect(worst < .milliseconds(4))
        #expect(clock.jitter > .milliseconds(12))
    }
}
