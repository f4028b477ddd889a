import Foundation
import Testing

@testable import MulticamMedia

@Suite("The monotonic clock")
struct MonotonicClockTests {
    @Test(
        "converts instants to dates for any setting of the wall clock",
        arguments: [
            (seconds: 1_767_225_600, year: 2026), (seconds: 10_413_792_000, year: 2300),
            (seconds: 253_370_764_800, year: 9999), (seconds: -2_208_988_800, year: 1900),
        ])
    func dates(seconds: Int, year: Int) {
        let boot = ClockTime(nanoseconds: 5_000_000_000)
        let clock = MonotonicClock(wallClock: timespec(tv_sec: seconds, tv_nsec: 250_000_000), at: boot)
        let date = clock.date(of: boot + .seconds(1))
        #expect(abs(date.timeIntervalSince1970 - Double(seconds) - 1.25) < 1e-4)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        #expect(calendar.component(.year, from: date) == year)
    }
}
