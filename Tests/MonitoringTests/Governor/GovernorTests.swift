import Media
import Plan
import Testing

@testable import Monitoring

@Suite("the governor")
struct GovernorTests {
    private static let ladder: [GovernorMeasure] = [
        GovernorMeasure(
            .preset(stream: "program", from: .superfast, to: .ultrafast), relieves: .processor),
        GovernorMeasure(
            .rate(stream: "program", from: FrameRate(30), to: FrameRate(20)),
            relieves: [.processor, .storage]),
        GovernorMeasure(.coarseDecoding, relieves: .processor),
        GovernorMeasure(
            .cameraRate(role: "face", from: FrameRate(30), to: FrameRate(20)),
            relieves: [.processor, .memory]),
        GovernorMeasure(
            .cameraSize(
                role: "face", from: FrameSize(width: 1280, height: 720),
                to: FrameSize(width: 640, height: 480)), relieves: [.processor, .memory, .storage]),
        GovernorMeasure(.cameraOff(role: "face"), relieves: [.processor, .memory, .storage]),
    ]

    /// A run of a governor, a tenth of a second at a time.
    private struct Run {
        var governor: GovernorPolicy
        var now: Int64 = 0
        /// `0.3 program preset superfast → ultrafast`.
        var steps: [String] = []
        var end: String?

        init(_ ladder: [GovernorMeasure] = GovernorTests.ladder) {
            governor = GovernorPolicy(ladder: ladder)
        }

        /// Looks on for some seconds.
        ///
        /// - Parameters:
        ///   - seconds: How long.
        ///   - behind: Of 30 frames that the program's encoder has room for.
        ///   - backlog: Milliseconds that the encoder needs for what waits.
        ///   - factors: Of system pressure.
        mutating func look(
            _ seconds: Double, behind: Double = 0, backlog: Int64 = 0, _ factors: [PressureFactor] = []
        ) {
            for _ in 0..<Int((seconds * 10).rounded()) {
                let queues = [
                    QueueAge(
                        .encoder(room: 30), name: "program", intervals: behind,
                        backlog: .milliseconds(backlog))
                ]
                let level = factors.map(\.level).max() ?? .nominal
                let pressure = SystemPressure(
                    level: level, factors: factors, cost: PressureCost(deadlines: [], level: level),
                    missing: [], diskTime: nil)
                switch governor.look(queues, pressure, at: ClockTime(nanoseconds: now * 100_000_000)) {
                case .none: break
                case .steps(let made):
                    steps += made.map { "\(Double(now) / 10) \($0.text)" }
                    if made.contains(where: \.reason.isEmpty) { Issue.record("a step without a reason") }
                case .end(let reason): end = end ?? reason
                }
                now += 1
            }
        }

        var texts: [String] { steps.map { String($0.drop { $0 != " " }.dropFirst()) } }
        func times(_ range: Range<Int>) -> [Double] {
            steps[range].compactMap { Double($0.prefix { $0 != " " }) }
        }
    }

    @Test("a session that is at ease is left alone")
    func calm() {
        var run = Run()
        run.look(600, behind: 2)
        run.look(60, behind: 9, [PressureFactor(.processorStall, .serious, "tasks wait")])
        #expect(run.steps.isEmpty && run.end == nil)
    }

    @Test("an encoder that falls behind costs one step at a time, in the ladder's order")
    func encoder() {
        var run = Run()
        run.look(2.5, behind: 12)
        #expect(
            run.steps == [
                "0.2 program preset superfast → ultrafast", "1.2 program frames 30 → 20",
                "2.2 decoding full → half size",
            ])
    }

    @Test("an encoder that is slow is behind before many frames wait for it")
    func slowEncoder() {
        var run = Run()
        run.look(60, behind: 3, backlog: 200)
        #expect(run.steps.isEmpty)
        run.look(2, behind: 3, backlog: 300)
        #expect(
            run.texts == ["program preset superfast → ultrafast", "program frames 30 → 20"])
    }

    @Test(
        "the program pauses only when its encoder is nearly full or the machine is in danger, gets its frames back first, and no camera gives anything for it"
    )
    func pause() {
        let ladder =
            Self.ladder.prefix(3) + [
                GovernorMeasure(.programPause, relieves: [.processor, .storage]),
                GovernorMeasure(
                    .cameraRate(role: "face", from: FrameRate(30), to: FrameRate(20)), relieves: .memory),
            ]
        var behind = Run(Array(ladder))
        behind.look(60, behind: 12)
        #expect(behind.texts == Self.ladder.prefix(3).map(\.text))
        var full = Run(Array(ladder))
        full.look(60, behind: 29)
        #expect(full.texts == Self.ladder.prefix(3).map(\.text) + ["program on → paused"])
        full.look(6)
        #expect(full.texts.last == "program paused → on")
        var hot = Run(Array(ladder))
        hot.look(60, [PressureFactor(.temperature, .critical, "hot")])
        #expect(hot.texts.last == "program on → paused")
    }

    @Test("one look alone makes no step, but one that shows a queue nearly full does")
    func confirmation() {
        var run = Run()
        run.look(0.1, behind: 12)
        run.look(5, behind: 5)
        #expect(run.steps.isEmpty)
        run.look(0.1, behind: 25)
        #expect(run.texts == ["program preset superfast → ultrafast"])
    }

    @Test(
        "nearly full, steps come quickly; cameras are restarted only when that has lasted, and switched off last"
    )
    func critical() {
        var run = Run()
        run.look(40, behind: 29)
        #expect(run.texts == Self.ladder.map(\.text))
        let times = run.times(0..<6)
        #expect(times[2] <= 1)
        #expect(zip(times.dropFirst(3), times.dropFirst(2)).allSatisfy { $0 - $1 >= 2.9 })
        #expect(times[5] - times[4] >= 11.9)
    }

    @Test("without being nearly full no camera is switched off")
    func neverOff() {
        var run = Run()
        run.look(120, behind: 12)
        #expect(run.texts == Self.ladder.dropLast().map(\.text))
    }

    @Test("while the queue drains, the last step is given its time")
    func draining() {
        var run = Run()
        run.look(0.2, behind: 28)
        #expect(run.texts.count == 1)
        for behind in stride(from: 27.0, through: 12, by: -0.6) { run.look(0.1, behind: behind) }
        #expect(run.texts.count == 1)
    }

    @Test("the last that was given up is taken back first, one by one, when all is calm")
    func recovery() {
        var run = Run()
        run.look(8, behind: 25)
        let down = run.governor.inForce
        #expect(down.count >= 4)
        let count = run.steps.count
        run.look(60)
        #expect(run.governor.inForce.isEmpty)
        #expect(Array(run.texts.dropFirst(count)) == down.reversed().map(\.reverseText))
        let up = run.times(count..<run.steps.count)
        #expect(up[0] - 8 >= 4.9)
        #expect(zip(up.dropFirst(), up).allSatisfy { $0 - $1 >= 2.9 })
    }

    @Test("between behind and easy nothing is given up and nothing taken back")
    func deadBand() {
        var run = Run()
        run.look(0.5, behind: 12)
        #expect(run.steps.count == 1)
        run.look(300, behind: 6)
        #expect(run.steps.count == 1)
    }

    @Test("while others keep the computer busy, one step a minute is tried")
    func busy() {
        var run = Run()
        run.look(2.5, behind: 12)
        let stall = [PressureFactor(.processorStall, .serious, "tasks wait")]
        run.look(59, stall)
        #expect(run.steps.count == 3)
        run.look(3, stall)
        #expect(run.steps.count == 4 && run.texts[3] == "decoding half size → full")
    }

    @Test("an attempt that fails is repeated later and later, so that there is at most one a minute")
    func backoff() {
        var run = Run()
        // With anything taken back the encoder falls behind.
        for _ in 0..<6000 {
            run.look(0.1, behind: run.governor.inForce.isEmpty ? 13 : 0)
        }
        let downs = run.steps.filter { $0.hasSuffix("superfast → ultrafast") }
            .compactMap { Double($0.prefix { $0 != " " }) }
        #expect(downs.count >= 3 && downs.count <= 6)
        #expect(zip(downs.dropFirst(2), downs.dropFirst()).allSatisfy { $0 - $1 >= 60 })
    }

    @Test(
        "when what kept the computer busy is over, failed attempts are forgotten, and all is back within a minute"
    )
    func loadEnds() {
        var run = Run()
        let stall = [PressureFactor(.processorStall, .serious, "tasks wait")]
        run.look(10, behind: 25, stall)
        run.look(70, stall)
        run.look(10, behind: 25, stall)
        let end = Double(run.now) / 10
        run.look(60)
        #expect(run.governor.inForce.isEmpty)
        let last = run.times(run.steps.count - 1..<run.steps.count)
        #expect(last[0] - end < 60)
    }

    @Test("after others' work all is back soon, a camera's steps at once")
    func freed() {
        var run = Run()
        run.look(14, behind: 29, [PressureFactor(.processorStall, .serious, "tasks wait")])
        #expect(run.texts == Self.ladder.dropLast().map(\.text))
        let end = run.steps.count
        let ended = Double(run.now) / 10
        run.look(10)
        #expect(run.governor.inForce.isEmpty)
        let times = run.times(end..<run.steps.count)
        #expect(times[0] - ended >= 1.9 && times[0] == times[1], "the camera's size and rate: one restart")
        #expect(zip(times.dropFirst(2), times.dropFirst()).allSatisfy { $0 - $1 >= 0.9 })
    }

    @Test(
        "heat and an empty battery cost steps slowly, and quickly when they are critical",
        arguments: [PressureFactor.Cause.temperature, .throttling, .power])
    func heat(_ cause: PressureFactor.Cause) {
        var run = Run()
        run.look(31, [PressureFactor(cause, .serious, "hot")])
        #expect(run.times(0..<run.steps.count) == [0.2, 15.2, 30.2])
        var critical = Run()
        critical.look(7, [PressureFactor(cause, .critical, "hot")])
        #expect(critical.times(0..<critical.steps.count) == [0, 3, 6])
    }

    @Test("a file that falls behind costs only what makes files smaller")
    func storage() {
        var run = Run()
        run.look(60, [PressureFactor(.writer, .serious, "slow")])
        #expect(run.texts == [Self.ladder[1].text, Self.ladder[4].text])
    }

    @Test(
        "at shutdown the session ends, whatever the cause but the disk's room, which is used to its end",
        arguments: PressureFactor.Cause.allCases)
    func shutdown(_ cause: PressureFactor.Cause) {
        var run = Run()
        run.look(0.1, [PressureFactor(cause, .shutdown, "at its end")])
        #expect(run.end?.hasPrefix("at its end; ") == (cause == .disk ? nil : true))
    }

    @Test("measures of a camera that comes stand in their places, and what is given up stays so")
    func extended() {
        let hot = [PressureFactor(.temperature, .critical, "hot")]
        let guest = GovernorMeasure(
            .cameraRate(role: "guest", from: FrameRate(30), to: FrameRate(20)), relieves: .processor)
        let preset = GovernorMeasure(
            .preset(stream: "guest", from: .superfast, to: .ultrafast), relieves: .processor)
        var run = Run()
        run.governor.withdraw(Self.ladder[2])
        run.look(4, hot)
        #expect(run.governor.inForce == [Self.ladder[0], Self.ladder[1]])
        run.governor.extend(to: [preset] + Self.ladder[..<3] + [guest] + Self.ladder[3...])
        #expect(run.governor.inForce == [Self.ladder[0], Self.ladder[1]])
        run.look(10, hot)
        // What was refused is not asked again.
        #expect(
            run.governor.inForce == [Self.ladder[0], Self.ladder[1], preset, guest, Self.ladder[3]])
        run.look(90)
        #expect(run.governor.inForce.isEmpty)
        let last = run.texts.suffix(3)
        #expect(Array(last) == [preset, Self.ladder[1], Self.ladder[0]].map(\.reverseText))
    }

    @Test("what is idle is passed over until it is not, and what was refused for ever")
    func passedOver() {
        let hot = [PressureFactor(.temperature, .critical, "hot")]
        var run = Run()
        run.governor.idle = [0, 1]
        run.look(1, hot)
        #expect(run.governor.inForce == [Self.ladder[2]])
        run.governor.withdraw(GovernorTests.ladder[2])
        #expect(run.governor.inForce.isEmpty)
        run.governor.idle = []
        run.look(7, hot)
        #expect(run.governor.inForce == [Self.ladder[0], Self.ladder[1]])
        run.look(4, hot)
        #expect(run.governor.inForce.last == Self.ladder[3])
        // Nothing of it is taken back that is not in force.
        run.look(60)
        #expect(run.governor.inForce.isEmpty)
        #expect(!run.texts.contains(Self.ladder[2].reverseText))
    }

    @Test("a governor with nothing to give up does nothing")
    func nothing() {
        var run = Run()
        run.governor = GovernorPolicy(ladder: [])
        run.look(60, behind: 30)
        run.look(60)
        #expect(run.steps.isEmpty)
    }
}
