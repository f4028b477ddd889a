import MulticamMedia
import Testing

@testable import MulticamGroup

@Suite("chrony's tracking output")
struct ChronyTrackingTests {
    private static let line =
        "7F000001,127.0.0.1,9,1795680605.496826494,0.000000648,-0.000000041,0.000000340,-0.027,0.000,0.288,0.000001552,0.000002987,1.0,Normal"

    @Test("tracking has a source, an offset, and a bound of root delay ÷ 2 + root dispersion")
    func read() throws {
        let tracking = try #require(ChronyTracking(Self.line))
        #expect(tracking.source == "127.0.0.1")
        #expect(tracking.offset == Nanoseconds(648))
        #expect(tracking.bound == Nanoseconds(776 + 2987))
        #expect(tracking.ppm == -0.027)
    }

    @Test(
        "output without a source, and invalid output, is ignored",
        arguments: [
            "", "506 Cannot talk to daemon", "00000000,,0,0.0,0,0,0,0,0,0,1,1,0,Not synchronized",
            line.replacing("0.000002987", with: "nan"), line.replacing("0.000001552", with: "-1"),
            line.replacing("0.000000648", with: "1e300"), line.replacing("Normal", with: "Not synchronized"),
        ])
    func nothing(line: String) {
        #expect(ChronyTracking(line) == nil)
    }

    @Test("the offset maps an instant of the group's time to the session clock")
    func mapping() {
        let now = ClockPair(monotonic: ClockTime(nanoseconds: 5_000), utc: 1_000_000)
        // This computer's clock is 300 ns slow, so when it shows 1 000 000, the group's time is 1 000 300.
        let instant = GroupClock.monotonic(of: 1_002_300, now, offset: Nanoseconds(300))
        #expect(instant == ClockTime(nanoseconds: 7_000))
        #expect(GroupClock.monotonic(of: .max, now, offset: Nanoseconds(.min)).nanoseconds > 0)
    }
}
