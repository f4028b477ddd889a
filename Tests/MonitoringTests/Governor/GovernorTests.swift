import MulticamMedia
import MulticamPlan
import Testing

@testable import MulticamMonitoring

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

    /// A simulated run of the governor in steps of 0.1 s.
    private struct Run {
        var governor: GovernorPolicy
        var now: Int64 = 0
        /// The governor's steps, for example `0.3 program preset superfast → ultrafast`.
        var steps: [String] = []
        var end: String?

        init(_ ladder: [GovernorMeasure] = GovernorTests.ladder) {
            governor = GovernorPolicy(ladder: ladder)
        }

        /// Runs the governor for some seconds.
        ///
        /// - Parameters:
        ///   - seconds: Duration of the run.
        ///   - behind: Number of frames in the program's encoder queue, which holds 30.
        ///   - backlog: Time that the encoder needs for its queue, in milliseconds.
        ///   - factors: Factors of system pressure.
        mutating func advance(
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
                switch governor.evaluate(queues, pressure, at: ClockTime(nanoseconds: now * 100_000_000)) {
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

    @Test("a session without problems is left unchanged")
    func calm() {
        var run = Run()
        run.advance(600, behind: 2)
        run.advance(60, behind: 9, [PressureFactor(.processorStall, .serious, "tasks wait")])
        #expect(run.steps.isEmpty && run.end == nil)
    }

    @Test("while an encoder is behind, one measure at a time is taken, in the ladder's order")
    func encoder() {
        var run = Run()
        run.advance(2.5, behind: 12)
        #expect(
            run.steps == [
                "0.2 program preset superfast → ultrafast", "1.2 program frames 30 → 20",
                "2.2 decoding full → half size",
            ])
    }

    @Test("a slow encoder counts as behind even with a short queue")
    func slowEncoder() {
        var run = Run()
        run.advance(60, behind: 3, backlog: 200)
        #expect(run.steps.isEmpty)
        run.advance(2, behind: 3, backlog: 300)
        #expect(
            run.texts == ["program preset superfast → ultrafast", "program frames 30 → 20"])
    }

    @Test(
        "the program pauses only if its encoder queue is nearly full or the machine is in danger, and resumes first; no camera is reduced for it"
    )
    func pause() {
        let ladder =
            Self.ladder.prefix(3) + [
                GovernorMeasure(.programPause, relieves: [.processor, .storage]),
                GovernorMeasure(
                    .cameraRate(role: "face", from: FrameRate(30), to: FrameRate(20)), relieves: .memory),
            ]
        var behind = Run(Array(ladder))
        behind.advance(60, behind: 12)
        #expect(behind.texts == Self.ladder.prefix(3).map(\.text))
        var full = Run(Array(ladder))
        full.advance(60, behind: 29)
        #expect(full.texts == Self.ladder.prefix(3).map(\.text) + ["program on → paused"])
        full.advance(6)
        #expect(full.texts.last == "program paused → on")
        var hot = Run(Array(ladder))
        hot.advance(60, [PressureFactor(.temperature, .critical, "hot")])
        #expect(hot.texts.last == "program on → paused")
    }

    @Test("a single reading triggers a measure only if a queue is nearly full")
    func confirmation() {
        var run = Run()
        run.advance(0.1, behind: 12)
        run.advance(5, behind: 5)
        #expect(run.steps.isEmpty)
        run.advance(0.1, behind: 25)
        #expect(run.texts == ["program preset superfast → ultrafast"])
    }

    @Test(
        "with a nearly full queue, measures follow quickly, camera restarts only later, and off comes last"
    )
    func critical() {
        var run = Run()
        run.advance(40, behind: 29)
        #expect(run.texts == Self.ladder.map(\.text))
        let times = run.times(0..<6)
        #expect(times[2] <= 1)
        #expect(zip(times.dropFirst(3), times.dropFirst(2)).allSatisfy { $0 - $1 >= 2.9 })
        #expect(times[5] - times[4] >= 11.9)
    }

    @Test("no camera is switched off unless a queue is nearly full")
    func neverOff() {
        var run = Run()
        run.advance(120, behind: 12)
        #expect(run.texts == Self.ladder.dropLast().map(\.text))
    }

    @Test("no further measure is taken while the queue drains")
    func draining() {
        var run = Run()
        run.advance(0.2, behind: 28)
        #expect(run.texts.count == 1)
        for behind in stride(from: 27.0, through: 12, by: -0.6) { run.advance(0.1, behind: behind) }
        #expect(run.texts.count == 1)
    }

    @Test("under low load, measures are reverted one by one, the latest first")
    func recovery() {
        var run = Run()
        run.advance(8, behind: 25)
        let down = run.governor.activeMeasures
        #expect(down.count >= 4)
        let count = run.steps.count
        run.advance(60)
        #expect(run.governor.activeMeasures.isEmpty)
        #expect(Array(run.texts.dropFirst(count)) == down.reversed().map(\.reverseText))
        let up = run.times(count..<run.steps.count)
        #expect(up[0] - 8 >= 4.9)
        #expect(zip(up.dropFirst(), up).allSatisfy { $0 - $1 >= 2.9 })
    }

    @Test("between the thresholds, no measure is taken or reverted")
    func deadBand() {
        var run = Run()
        run.advance(0.5, behind: 12)
        #expect(run.steps.count == 1)
        run.advance(300, behind: 6)
        #expect(run.steps.count == 1)
    }

    @Test("while other programs keep the computer busy, one revert per minute is tried")
    func busy() {
        var run = Run()
        run.advance(2.5, behind: 12)
        let stall = [PressureFactor(.processorStall, .serious, "tasks wait")]
        run.advance(59, stall)
        #expect(run.steps.count == 3)
        run.advance(3, stall)
        #expect(run.steps.count == 4 && run.texts[3] == "decoding half size → full")
    }

    @Test("a failed revert is retried with growing delays, at most once per minute")
    func backoff() {
        var run = Run()
        // Reverting any measure makes the encoder fall behind.
        for _ in 0..<6000 {
            run.advance(0.1, behind: run.governor.activeMeasures.isEmpty ? 13 : 0)
        }
        let downs = run.steps.filter { $0.hasSuffix("superfast → ultrafast") }
            .compactMap { Double($0.prefix { $0 != " " }) }
        #expect(downs.count >= 3 && downs.count <= 6)
        #expect(zip(downs.dropFirst(2), downs.dropFirst()).allSatisfy { $0 - $1 >= 60 })
    }

    @Test(
        "when other programs' load ends, all measures are reverted within a minute despite failed attempts"
    )
    func loadEnds() {
        var run = Run()
        let stall = [PressureFactor(.processorStall, .serious, "tasks wait")]
        run.advance(10, behind: 25, stall)
        run.advance(70, stall)
        run.advance(10, behind: 25, stall)
        let end = Double(run.now) / 10
        run.advance(60)
        #expect(run.governor.activeMeasures.isEmpty)
        let last = run.times(run.steps.count - 1..<run.steps.count)
        #expect(last[0] - end < 60)
    }

    @Test("after other programs' load, measures are reverted soon, a camera's in one step")
    func freed() {
        var run = Run()
        run.advance(14, behind: 29, [PressureFactor(.processorStall, .serious, "tasks wait")])
        #expect(run.texts == Self.ladder.dropLast().map(\.text))
        let end = run.steps.count
        let ended = Double(run.now) / 10
        run.advance(10)
        #expect(run.governor.activeMeasures.isEmpty)
        let times = run.times(end..<run.steps.count)
        #expect(times[0] - ended >= 1.9 && times[0] == times[1], "the camera's size and rate: one restart")
        #expect(zip(times.dropFirst(2), times.dropFirst()).allSatisfy { $0 - $1 >= 0.9 })
    }

    @Test(
        "heat and an empty battery trigger measures slowly, and quickly when they are critical",
        arguments: [PressureFactor.Cause.temperature, .throttling, .power])
    func heat(_ cause: PressureFactor.Cause) {
        var run = Run()
        run.advance(31, [PressureFactor(cause, .serious, "hot")])
        #expect(run.times(0..<run.steps.count) == [0.2, 15.2, 30.2])
        var critical = Run()
        critical.advance(7, [PressureFactor(cause, .critical, "hot")])
        #expect(critical.times(0..<critical.steps.count) == [0, 3, 6])
    }

    @Test("a slow file triggers only measures that reduce file sizes")
    func storage() {
        var run = Run()
        run.advance(60, [PressureFactor(.writer, .serious, "slow")])
        #expect(run.texts == [Self.ladder[1].text, Self.ladder[4].text])
    }

    @Test(
        "the shutdown level ends the session for every cause except disk space, which is used up completely",
        arguments: PressureFactor.Cause.allCases)
    func shutdown(_ cause: PressureFactor.Cause) {
        var run = Run()
        run.advance(0.1, [PressureFactor(cause, .shutdown, "at its end")])
        #expect(run.end?.hasPrefix("at its end. ") == (cause == .disk ? nil : true))
    }

    @Test("measures of an added camera are inserted in order, and active measures stay active")
    func extended() {
        let hot = [PressureFactor(.temperature, .critical, "hot")]
        let guest = GovernorMeasure(
            .cameraRate(role: "guest", from: FrameRate(30), to: FrameRate(20)), relieves: .processor)
        let preset = GovernorMeasure(
            .preset(stream: "guest", from: .superfast, to: .ultrafast), relieves: .processor)
        var run = Run()
        run.governor.withdraw(Self.ladder[2])
        run.advance(4, hot)
        #expect(run.governor.activeMeasures == [Self.ladder[0], Self.ladder[1]])
        run.governor.extend(to: [preset] + Self.ladder[..<3] + [guest] + Self.ladder[3...])
        #expect(run.governor.activeMeasures == [Self.ladder[0], Self.ladder[1]])
        run.advance(10, hot)
        // A refused measure isn't tried again.
        #expect(
            run.governor.activeMeasures == [Self.ladder[0], Self.ladder[1], preset, guest, Self.ladder[3]])
        run.advance(90)
        #expect(run.governor.activeMeasures.isEmpty)
        let last = run.texts.suffix(3)
        #expect(Array(last) == [preset, Self.ladder[1], Self.ladder[0]].map(\.reverseText))
    }

    @Test("idle measures are skipped while idle, and refused ones permanently")
    func passedOver() {
        let hot = [PressureFactor(.temperature, .critical, "hot")]
        var run = Run()
        run.governor.inapplicable = [0, 1]
        run.advance(1, hot)
        #expect(run.governor.activeMeasures == [Self.ladder[2]])
        run.governor.withdraw(GovernorTests.ladder[2])
        #expect(run.governor.activeMeasures.isEmpty)
        run.governor.inapplicable = []
        run.advance(7, hot)
        #expect(run.governor.activeMeasures == [Self.ladder[0], Self.ladder[1]])
        run.advance(4, hot)
        #expect(run.governor.activeMeasures.last == Self.ladder[3])
        // A measure that isn't active isn't reverted.
        run.advance(60)
        #expect(run.governor.activeMeasures.isEmpty)
        #expect(!run.texts.contains(Self.ladder[2].reverseText))
    }

    @Test("a governor without measures does nothing")
    func nothing() {
        var run = Run()
        run.governor = GovernorPolicy(ladder: [])
        run.advance(60, behind: 30)
        run.advance(60)
        #expect(run.steps.isEmpty)
    }
}
