import Media
import Testing

@testable import Timing

@Suite("What a device may say of the time")
struct PlausibleStampTests {
    private static let arrival = ClockTime(nanoseconds: 1_000_000_000_000_000)

    @Test(
        "a stamp counts from an hour before its arrival to ten seconds after",
        arguments: [-3_600_000_000_000, -1, 0, 1, 10_000_000_000] as [Int64])
    func kept(distance: Int64) {
        let stamp = ClockTime(nanoseconds: Self.arrival.nanoseconds + distance)
        #expect(PlausibleStamp.time(stamp, arrival: Self.arrival) == stamp)
    }

    @Test(
        "beyond that the arrival stands for it", arguments: [-3_600_000_000_001, 10_000_000_001] as [Int64])
    func replaced(distance: Int64) {
        let stamp = ClockTime(nanoseconds: Self.arrival.nanoseconds + distance)
        #expect(PlausibleStamp.time(stamp, arrival: Self.arrival) == Self.arrival)
    }

    @Test("so it does for the ends of what 64 bits can say", arguments: [Int64.min, .max])
    func extremes(nanoseconds: Int64) {
        #expect(
            PlausibleStamp.time(ClockTime(nanoseconds: nanoseconds), arrival: Self.arrival) == Self.arrival)
    }
}
