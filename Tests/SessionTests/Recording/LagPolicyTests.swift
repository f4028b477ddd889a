import MulticamMedia
import Testing

@testable import MulticamSession

@Suite("Overdue ticks and the end of a recording")
struct LagPolicyTests {
    private static func media(_ milliseconds: Int64) -> MediaTime {
        MediaTime(nanoseconds: milliseconds * 1_000_000)
    }

    private static func clock(_ milliseconds: Int64) -> ClockTime {
        ClockTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test("beyond one second of lag, all ticks except those of the last 100 ms are overdue")
    func overdue() {
        var policy = LagPolicy()
        #expect(policy.update(next: Self.media(1000), due: Self.media(2000), now: Self.clock(2100)) == nil)
        #expect(!policy.mustEndEarly(deadline: Self.clock(0), now: Self.clock(9000)))
        let overdue = policy.update(next: Self.media(1000), due: Self.media(2001), now: Self.clock(2101))
        #expect(overdue == Self.media(1901))
    }

    @Test("a recording ends early one second after its deadline, or after the lag began if that is later")
    func early() {
        var policy = LagPolicy()
        _ = policy.update(next: Self.media(1000), due: Self.media(2500), now: Self.clock(3000))
        // Later updates don't change when the lag began.
        _ = policy.update(next: Self.media(1100), due: Self.media(3400), now: Self.clock(3900))
        #expect(!policy.mustEndEarly(deadline: Self.clock(2000), now: Self.clock(4000)))
        #expect(policy.mustEndEarly(deadline: Self.clock(2000), now: Self.clock(4001)))
        #expect(!policy.mustEndEarly(deadline: Self.clock(3500), now: Self.clock(4500)))
        #expect(policy.mustEndEarly(deadline: Self.clock(3500), now: Self.clock(4501)))
    }

    @Test("a timeline that has caught up doesn't end the recording early")
    func caughtUp() {
        var policy = LagPolicy()
        _ = policy.update(next: Self.media(1000), due: Self.media(2500), now: Self.clock(3000))
        _ = policy.update(next: Self.media(2500), due: Self.media(2540), now: Self.clock(3040))
        #expect(!policy.mustEndEarly(deadline: Self.clock(2000), now: Self.clock(9000)))
    }

    @Test(
        "a recording ends at the next tick of its grid, but not at tick 0",
        arguments: [
            (rate: FrameRate(25), requested: 0, end: 40), (rate: FrameRate(25), requested: 80, end: 80),
            (rate: FrameRate(25), requested: 81, end: 120),
        ] as [(rate: FrameRate, requested: Int64, end: Int64)])
    func gridEnd(rate: FrameRate, requested: Int64, end: Int64) {
        #expect(LeadingGrid(rate: rate).end(Self.media(requested)) == Self.media(end))
    }

    @Test("a recording without frames, or with less than one frame per second, doesn't wait for a tick")
    func slowGrid() {
        let requested = MediaTime(nanoseconds: 1_234_567_891)
        #expect(LeadingGrid(rate: nil).end(requested) == requested)
        #expect(LeadingGrid(rate: FrameRate(1, per: 5)).end(requested) == requested)
        #expect(LeadingGrid(rate: nil).end(.zero) == MediaTime(nanoseconds: 1))
        #expect(LeadingGrid(rate: FrameRate(1, per: 5)).end(.zero) == Self.media(20))
    }
}
