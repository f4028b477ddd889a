import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("Plausibility of device timestamps")
struct PlausibleStampTests {
    private static let arrival = ClockTime(nanoseconds: 1_000_000_000_000_000)

    @Test(
        "a timestamp from one hour before to ten seconds after its arrival is used",
        arguments: [-3_600_000_000_000, -1, 0, 1, 10_000_000_000] as [Int64])
    func kept(distance: Int64) {
        let stamp = ClockTime(nanoseconds: Self.arrival.nanoseconds + distance)
        #expect(PlausibleStamp.time(stamp, arrival: Self.arrival) == stamp)
    }

    @Test(
        "the arrival replaces other timestamps", arguments: [-3_600_000_000_001, 10_000_000_001] as [Int64])
    func replaced(distance: Int64) {
        let stamp = ClockTime(nanoseconds: Self.arrival.nanoseconds + distance)
        #expect(PlausibleStamp.time(stamp, arrival: Self.arrival) == Self.arrival)
    }

    @Test("extreme timestamps are replaced with the arrival time", arguments: [Int64.min, .max])
    func extremes(nanoseconds: Int64) {
        #expect(
            PlausibleStamp.time(ClockTime(nanoseconds: nanoseconds), arrival: Self.arrival) == Self.arrival)
    }
}
