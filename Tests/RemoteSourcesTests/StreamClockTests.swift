import Media
import Testing

@testable import RemoteSources

@Suite("The dates of a network stream")
struct StreamClockTests {
    private static let interval = Nanoseconds.milliseconds(40)
    /// When the stream's stamp 0 was captured, on CLOCK_MONOTONIC.
    private static let begin = ClockTime(nanoseconds: 5_000_000_000_000)
    private static let way = Nanoseconds.milliseconds(60)

    private static func captured(_ frame: Int64) -> ClockTime { begin + interval * frame }
    /// Every fourth frame is fast, the others are held up.
    private static func arrival(_ frame: Int64) -> ClockTime {
        captured(frame) + way + .milliseconds(frame % 4 * 9)
    }

    private static func clock(wallOff: Nanoseconds?, frames: Int64 = 25) -> StreamClock {
        var clock = StreamClock(way: interval)
        for frame in 0..<frames { note(frame, &clock, wallOff: wallOff) }
        clock.decide()
        return clock
    }

    private static func note(
        _ frame: Int64, _ clock: inout StreamClock, wallOff: Nanoseconds?, stampOff: Nanoseconds = .zero
    ) {
        clock.note(interval * frame + stampOff, arrival: arrival(frame))
        if let wallOff {
            clock.note(
                interval * frame + stampOff, captured: captured(frame) + wallOff, arrival: arrival(frame))
        }
    }

    @Test("by a wall clock that agrees, frames are dated exactly, and the error is the way of the fastest")
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
        "a wall clock that is off by an hour is not believed, and neither is one that dates frames after they came"
    )
    func foreignWallClock() {
        for off in [Nanoseconds.seconds(3600), .seconds(-3600), .milliseconds(100)] {
            let clock = Self.clock(wallOff: off)
            #expect(clock.origin == .arrival)
            #expect((clock.time(of: Self.interval * 100) - Self.captured(100)).magnitude < clock.error)
        }
    }

    @Test("without a wall clock the fastest frames date the others, less the way that is known")
    func arrival() {
        let clock = Self.clock(wallOff: nil)
        #expect(clock.origin == .arrival)
        #expect(clock.time(of: .zero) == Self.begin + Self.way - Self.interval)
        #expect(clock.error == .milliseconds(200))
    }

    @Test("a camera's clock that is set by an hour while it delivers moves no frame")
    func step() {
        var clock = Self.clock(wallOff: .zero)
        #expect(clock.takeSetting() == nil)
        var told: [Nanoseconds] = []
        for frame in 25..<200 {
            Self.note(Int64(frame), &clock, wallOff: .seconds(3600))
            if let change = clock.takeSetting() { told.append(change) }
        }
        #expect((clock.time(of: Self.interval * 200) - Self.captured(200)).magnitude < .milliseconds(1))
        // It is told once, however often it is set in ten seconds.
        #expect(told.map { ($0 - .seconds(3600)).magnitude < .milliseconds(1) } == [true])
        for frame in Int64(200)..<260 {
            Self.note(frame, &clock, wallOff: .seconds(frame))
            #expect(clock.takeSetting() == nil)
        }
        #expect((clock.time(of: Self.interval * 260) - Self.captured(260)).magnitude < .milliseconds(2))
        for frame in Int64(500)..<510 {
            Self.note(frame, &clock, wallOff: .zero)
            if let change = clock.takeSetting() { told.append(change) }
        }
        #expect(told.count == 2 && told[1] < .seconds(-200))
    }

    @Test(
        "stamps that follow a camera's clock when it is set, as those of several streams do, move no frame either",
        arguments: [0.3, -0.3, 5, -5, 600, -3600])
    func followingStamps(seconds: Double) {
        var clock = Self.clock(wallOff: .zero)
        let change = Nanoseconds.seconds(rounding: seconds)
        var jumps = 0
        for frame in Int64(25)..<75 {
            let stamp = Self.interval * frame + change
            jumps += clock.note(stamp, arrival: Self.arrival(frame)) ? 1 : 0
            clock.note(stamp, captured: Self.captured(frame) + change, arrival: Self.arrival(frame))
            #expect((clock.time(of: stamp) - Self.captured(frame)).magnitude < .milliseconds(30))
        }
        #expect(jumps == 1)
        #expect((clock.takeSetting().map { ($0 - change).magnitude } ?? .seconds(9)) < .milliseconds(30))
    }

    @Test("stamps that jump go on where the arrivals are")
    func jump() {
        for wall in [Nanoseconds.zero, nil] {
            var clock = Self.clock(wallOff: wall)
            let before = clock.time(of: Self.interval * 25)
            Self.note(25, &clock, wallOff: wall, stampOff: .seconds(-7200))
            let after = clock.time(of: Self.interval * 25 + .seconds(-7200))
            #expect((after - before).magnitude < .milliseconds(30))
        }
    }

    @Test("frames that a network held back for seconds keep their dates")
    func heldBack() {
        var clock = Self.clock(wallOff: nil)
        let before = clock.time(of: Self.interval * 100)
        let late = Self.captured(120)
        for frame in 25..<120 { clock.note(Self.interval * Int64(frame), arrival: late + Self.way) }
        #expect((clock.time(of: Self.interval * 100) - before).magnitude < .milliseconds(5))
    }

    @Test("a camera whose clock drifts by 100 ppm is followed")
    func drift() {
        var clock = StreamClock(way: .zero)
        func stamp(_ frame: Int64) -> Nanoseconds { Nanoseconds(Self.interval.count * frame + 4000 * frame) }
        for frame in Int64(0)..<25 { clock.note(stamp(frame), arrival: Self.captured(frame)) }
        clock.decide()
        for frame in Int64(25)..<25 * 600 { clock.note(stamp(frame), arrival: Self.captured(frame)) }
        #expect((clock.time(of: stamp(15000)) - Self.captured(15000)).magnitude < .milliseconds(3))
    }
}
