import MulticamMedia
import Testing

@testable import MulticamVirtualDevices

@Suite("Clocks, random choices, and faults")
struct TimingTests {
    @Test("29.97 means 30000/1001: exactly 30 000 frames after 1001 s, without drift over forty days")
    func exactRate() throws {
        let timebase = DeviceTimebase(rate: try #require(FrameRate("29.97")))
        #expect(timebase.time(of: 30_000) == ClockTime(nanoseconds: 1_001_000_000_000))
        #expect(timebase.time(of: 30_000 * 3456) == ClockTime(nanoseconds: 3456 * 1_001_000_000_000))
        #expect(timebase.time(of: 1) == ClockTime(nanoseconds: 33_366_667))
    }

    @Test(
        "a drifting clock is off by exactly its drift after ten hours",
        arguments: [(perBillion: 100_000, frames: 1_080_108), (-100_000, 1_079_892), (0, 1_080_000)]
            as [(Int64, Int64)])
    func drift(perBillion: Int64, frames: Int64) {
        let timebase = DeviceTimebase(
            rate: FrameRate(30), driftPerBillion: perBillion, phase: .milliseconds(7))
        #expect(timebase.time(of: frames) == ClockTime(nanoseconds: 36_000_007_000_000))
    }

    @Test("the frame at or after an instant is found at fractional rates and distant times")
    func index() {
        for rate in [
            FrameRate(30), FrameRate(30000, per: 1001), FrameRate(24000, per: 1001), FrameRate(44_100),
        ] {
            for drift in [Int64(0), 123_456, -99_000_000] {
                let timebase = DeviceTimebase(rate: rate, driftPerBillion: drift, phase: .microseconds(1234))
                for index in [Int64(0), 1, 1000, 123_456_789, 10_000_000_019] {
                    let time = timebase.time(of: index)
                    #expect(timebase.index(atOrAfter: time) == index)
                    #expect(timebase.index(atOrAfter: time + Nanoseconds(1)) == index + 1)
                }
            }
        }
    }

    @Test("each clap is in exactly one frame, at any phase")
    func claps() {
        for phase in [0, 1, 33_333_332, 33_333_333, 500] as [Int64] {
            let timebase = DeviceTimebase(rate: FrameRate(30), phase: Nanoseconds(phase))
            let white = (0..<300).filter {
                Clap.occurs(from: timebase.time(of: $0), until: timebase.time(of: $0 + 1))
            }
            // Frames 0…299 span the time from 0 s or slightly later to 10 s or slightly later.
            #expect(white.count == 10)
        }
        #expect(
            Clap.occurs(
                from: ClockTime(nanoseconds: 1_000_000_000), until: ClockTime(nanoseconds: 1_000_000_001)))
        #expect(
            !Clap.occurs(
                from: ClockTime(nanoseconds: 1_000_000_001), until: ClockTime(nanoseconds: 2_000_000_000)))
    }

    @Test("random choices depend only on seed, role, purpose, and number")
    func choices() {
        let choices = SeededChoices(seed: 1, role: "desk")
        #expect(choices.bits(.drop, of: 5) == SeededChoices(seed: 1, role: "desk").bits(.drop, of: 5))
        let others = [
            choices.bits(.drop, of: 5), choices.bits(.drop, of: 6), choices.bits(.corrupt, of: 5),
            SeededChoices(seed: 2, role: "desk").bits(.drop, of: 5),
            SeededChoices(seed: 1, role: "face").bits(.drop, of: 5),
        ]
        #expect(Set(others).count == others.count)
        let count = 20_000
        let mean = (0..<count).reduce(0) { $0 + choices.fraction(.jitter, of: Int64($1)) } / Double(count)
        // The tolerance is three standard deviations of the mean of uniform numbers.
        #expect(abs(mean - 0.5) < 3 * 0.2887 / Double(count).squareRoot())
    }

    // MARK: Faults

    private func rules(_ faults: FaultScript = FaultScript(), drop: Double = 0) -> ScriptedDelivery.Rules {
        ScriptedDelivery.Rules(
            timebase: DeviceTimebase(rate: FrameRate(10)), latency: .milliseconds(20), dropShare: drop,
            faults: faults,
            choices: SeededChoices(seed: 1, role: "desk"))
    }

    private func play(
        _ rules: ScriptedDelivery.Rules, through end: Int64, since start: Int64? = 0
    ) -> [(at: Int64, step: ScriptedDelivery.Step)] {
        var delivery = ScriptedDelivery(rules, from: ClockTime(nanoseconds: 0))
        var told: [(Int64, ScriptedDelivery.Step)] = []
        let start = start.map { ClockTime(nanoseconds: $0 * 1_000_000) }
        while true {
            let wake = delivery.wakeTime(since: start)
            guard wake.nanoseconds <= end * 1_000_000 else { return told }
            for step in delivery.dequeueSteps(at: wake, since: start) {
                told.append((wake.nanoseconds / 1_000_000, step))
            }
        }
    }

    @Test("a frame arrives at the end of its exposure plus its latency")
    func latency() {
        let told = play(rules(), through: 320)
        #expect(told.map(\.at) == [120, 220, 320])
        #expect(told.map(\.step) == (0..<3).map { .deliver(slot: $0, isDamaged: false) })
    }

    @Test(
        "a disconnect is reported immediately, and undelivered frames and frames that began during it never arrive"
    )
    func unplug() {
        let outage = FaultScript.Interval(from: .milliseconds(250), to: .milliseconds(430))
        let told = play(rules(FaultScript(outages: [outage])), through: 620)
        #expect(
            told.map(\.step) == [
                .deliver(slot: 0, isDamaged: false), .deliver(slot: 1, isDamaged: false),
                .away(at: ClockTime(nanoseconds: 250_000_000)),
                .returned(at: ClockTime(nanoseconds: 430_000_000)),
                .deliver(slot: 5, isDamaged: false),
            ])
        #expect(told.map(\.at) == [120, 220, 250, 430, 620])
    }

    @Test("scripted faults occur only during a recording")
    func notBeforeRecording() {
        let script = FaultScript(
            outages: [.init(from: .zero, to: nil)], stalls: [.init(from: .zero, to: .seconds(9))])
        #expect(play(rules(script), through: 1020, since: nil).count == 10)
    }

    @Test("frames of a stall are reported as lost when it ends")
    func stall() {
        let script = FaultScript(stalls: [.init(from: .milliseconds(220), to: .milliseconds(520))])
        let told = play(rules(script), through: 620)
        #expect(
            told.map(\.step) == [
                .deliver(slot: 0, isDamaged: false),
                .lost(slots: 3, cause: .disconnected, capturedAt: ClockTime(nanoseconds: 100_000_000)),
                .deliver(slot: 4, isDamaged: false), .deliver(slot: 5, isDamaged: false),
            ])
    }

    @Test("dropped frames are reported with the next frame, and the counts add up")
    func drops() {
        let told = play(rules(drop: 0.3), through: 100_020).map(\.step)
        var next: Int64 = 0
        var lost: Int64 = 0
        for step in told {
            switch step {
            case .deliver(let slot, _):
                #expect(slot == next)
                next += 1
            case .lost(let slots, let cause, let time):
                #expect(cause == .bus)
                #expect(time.nanoseconds == next * 100_000_000)
                next += slots
                lost += slots
            default: Issue.record("\(step)")
            }
        }
        // For 1000 draws with probability 0.3, three standard deviations are 43.
        #expect((257...343).contains(lost))
    }

    @Test("in real time, frames overdue beyond a limit are lost, as when a driver's buffers are full")
    func patience() {
        var rules = rules()
        rules.maxOverdueTime = .milliseconds(500)
        var delivery = ScriptedDelivery(rules, from: ClockTime(nanoseconds: 0))
        let now = ClockTime(nanoseconds: 1_000_000_000)
        var told: [ScriptedDelivery.Step] = []
        while delivery.wakeTime(since: nil) <= now { told += delivery.dequeueSteps(at: now, since: nil) }
        #expect(told.first == .lost(slots: 4, cause: .driver, capturedAt: ClockTime(nanoseconds: 0)))
        #expect(told.count == 6)
    }

    // MARK: Code strip

    @Test("the strip contains the marker, frame number, time, and checksum")
    func strip() throws {
        let strip = CodeStrip(frame: 0x0102_0304, time: ClockTime(nanoseconds: 0x0A_0B0C * 100_000 + 49_999))
        #expect(strip.frame == 0x02_0304)
        // The checksum is 2 + 3 + 4 + 10 + 11 + 12 = 42.
        #expect(strip.bits == 0xAC_020304_0A0B0C_2A)
        #expect(CodeStrip(bits: strip.bits) == strip)
        for bit in 0..<64 { #expect(CodeStrip(bits: strip.bits ^ 1 << UInt64(bit)) == nil) }
    }

    @Test("frame number and time wrap at 24 bits, including negative numbers")
    func wrap() {
        let strip = CodeStrip(frame: -1, time: ClockTime(nanoseconds: (1 << 24) * 100_000 + 250_000))
        #expect(strip.frame == 0xFF_FFFF)
        #expect(strip.time == 3)
    }
}
