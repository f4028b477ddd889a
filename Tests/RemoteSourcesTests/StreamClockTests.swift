import MulticamMedia
import Testing

@testable import MulticamRemoteSources

@Suite("Capture times of a network stream")
struct StreamClockTests {
    private static let interval = Nanoseconds.milliseconds(40)
    /// Capture time of stream timestamp 0 on CLOCK_MONOTONIC.
    private static let begin = ClockTime(nanoseconds: 5_000_000_000_000)
    private static let way = Nanoseconds.milliseconds(60)

    private static func captured(_ frame: Int64) -> ClockTime { begin + interval * frame }
    /// Returns the arrival time of a frame. Every fourth frame arrives early, and the others are delayed.
    private static func arrival(_ frame: Int64) -> ClockTime {
        captured(frame) + way + .milliseconds(frame % 4 * 9)
    }

    private static func clock(wallOff: Nanoseconds?, frames: Int64 = 25) -> StreamClock {
        var clock = StreamClock(transportDelay: interval)
        for frame in 0..<frames { recordFrame(frame, &clock, wallOff: wallOff) }
        clock.chooseOrigin()
        return clock
    }

    private static func recordFrame(
        _ frame: Int64, _ clock: inout StreamClock, wallOff: Nanoseconds?, stampOff: Nanoseconds = .zero
    ) {
        clock.record(interval * frame + stampOff, arrival: arrival(frame))
        if let wallOff {
            clock.record(
                interval * frame + stampOff, captured: captured(frame) + wallOff, arrival: arrival(frame))
        }
    }

    @Test("with a plausible wall clock, capture times are exact, and the error is the fastest frame's delay")
    func wallClock() {
        let clock = Self.clock(wallOff: .zero)
        #expect(clock.origin == .wallClock)
        #expect(clock.time(of: Self.interval * 100) == Self.captured(100))
        #expect(clock.error == Self.way)
        var assembled = clock
        assembled.assembly = Self.way
        #expect(assembled.error == .milliseconds(10))
    }

    @Test(
        "a wall clock that is off by an hour or dates frames after their arrival is ignored"
    )
    func foreignWallClock() {
        for off in [Nanoseconds.seconds(3600), .seconds(-3600), .milliseconds(100)] {
            let clock = Self.clock(wallOff: off)
            #expect(clock.origin == .arrival)
            #expect((clock.time(of: Self.interval * 100) - Self.captured(100)).magnitude < clock.error)
        }
    }

    @Test("without a wall clock, the fastest frames date the others, minus the known delay")
    func arrival() {
        let clock = Self.clock(wallOff: nil)
        #expect(clock.origin == .arrival)
        #expect(clock.time(of: .zero) == Self.begin + Self.way - Self.interval)
        #expect(clock.error == .milliseconds(200))
    }

    @Test("setting a camera's clock by an hour during delivery does not shift any frame")
    func step() {
        var clock = Self.clock(wallOff: .zero)
        #expect(clock.dequeueClockChange() == nil)
        var told: [Nanoseconds] = []
        for frame in 25..<200 {
            Self.recordFrame(Int64(frame), &clock, wallOff: .seconds(3600))
            if let change = clock.dequeueClockChange() { told.append(change) }
        }
        #expect((clock.time(of: Self.interval * 200) - Self.captured(200)).magnitude < .milliseconds(1))
        // Changes are reported once within ten seconds.
        #expect(told.map { ($0 - .seconds(3600)).magnitude < .milliseconds(1) } == [true])
        for frame in Int64(200)..<260 {
            Self.recordFrame(frame, &clock, wallOff: .seconds(frame))
            #expect(clock.dequeueClockChange() == nil)
        }
        #expect((clock.time(of: Self.interval * 260) - Self.captured(260)).magnitude < .milliseconds(2))
        for frame in Int64(500)..<510 {
            Self.recordFrame(frame, &clock, wallOff: .zero)
            if let change = clock.dequeueClockChange() { told.append(change) }
        }
        #expect(told.count == 2 && told[1] < .seconds(-200))
    }

    @Test(
        "timestamps that follow a change of the camera's clock, as in several streams, do not shift frames either",
        arguments: [0.3, -0.3, 5, -5, 600, -3600])
    func followingStamps(seconds: Double) {
        var clock = Self.clock(wallOff: .zero)
        let change = Nanoseconds.seconds(rounding: seconds)
        var jumps = 0
        for frame in Int64(25)..<75 {
            let stamp = Self.interval * frame + change
            jumps += clock.record(stamp, arrival: Self.arrival(frame)) ? 1 : 0
            clock.record(stamp, captured: Self.captured(frame) + change, arrival: Self.arrival(frame))
            #expect((clock.time(of: stamp) - Self.captured(frame)).magnitude < .milliseconds(30))
        }
        #expect(jumps == 1)
        #expect(
            (clock.dequeueClockChange().map { ($0 - change).magnitude } ?? .seconds(9)) < .milliseconds(30))
    }

    @Test("after a timestamp jump, capture times continue according to the arrivals")
    func jump() {
        for wall in [Nanoseconds.zero, nil] {
            var clock = Self.clock(wallOff: wall)
            let before = clock.time(of: Self.interval * 25)
            Self.recordFrame(25, &clock, wallOff: wall, stampOff: .seconds(-7200))
            let after = clock.time(of: Self.interval * 25 + .seconds(-7200))
            #expect((after - before).magnitude < .milliseconds(30))
        }
    }

    @Test("frames that a network delayed by seconds keep their capture times")
    func heldBack() {
        var clock = Self.clock(wallOff: nil)
        let before = clock.time(of: Self.interval * 100)
        let late = Self.captured(120)
        for frame in 25..<120 { clock.record(Self.interval * Int64(frame), arrival: late + Self.way) }
        #expect((clock.time(of: Self.interval * 100) - before).magnitude < .milliseconds(5))
    }

    @Test(
        "B-frames of a slow camera, sent after frames that are shown later, do not count as a restart",
        arguments: [10, 15, 20, 30], [2, 3, 7, 16])
    func reordered(rate: Int64, run: Int64) {
        let interval = Nanoseconds.seconds(1) / rate
        var clock = StreamClock(transportDelay: interval)
        clock.allowReordering(true, interval: interval)
        // Each group is in decoding order: a frame, then the frames shown before it.
        let group = run + 1
        let order = (Int64(0)..<200).map { index in
            index % group == 0 ? index / group * group + run : index - 1
        }
        func arrival(_ index: Int) -> ClockTime { Self.begin + interval * (Int64(index) + run) + Self.way }
        var rebased = 0
        for (index, frame) in order.enumerated() {
            rebased += clock.record(interval * frame, arrival: arrival(index)) ? 1 : 0
            if index == 40 { clock.chooseOrigin() }
        }
        #expect(rebased == 0)
        let (early, late) = (order[50], order[190])
        let passed = clock.time(of: interval * late) - clock.time(of: interval * early)
        #expect((passed - interval * (late - early)).magnitude < .milliseconds(1))
        // A real restart is still detected.
        rebased += clock.record(interval * order[199] - .seconds(30), arrival: arrival(200)) ? 1 : 0
        #expect(rebased == 1)
    }

    @Test("without B-frames, timestamps that go backward slightly count as a restart")
    func ordered() {
        var clock = Self.clock(wallOff: nil)
        let isRebased = clock.record(Self.interval * 20, arrival: Self.arrival(25))
        #expect(isRebased)
    }

    @Test("the clock follows a camera that drifts by 100 ppm")
    func drift() {
        var clock = StreamClock(transportDelay: .zero)
        func stamp(_ frame: Int64) -> Nanoseconds { Nanoseconds(Self.interval.count * frame + 4000 * frame) }
        for frame in Int64(0)..<25 { clock.record(stamp(frame), arrival: Self.captured(frame)) }
        clock.chooseOrigin()
        for frame in Int64(25)..<25 * 600 { clock.record(stamp(frame), arrival: Self.captured(frame)) }
        #expect((clock.time(of: stamp(15000)) - Self.captured(15000)).magnitude < .milliseconds(3))
    }
}
