package import FoundationEssentials
internal import Glibc
package import MulticamMedia

/// A local date and time of day, as shown by a wall clock.
package struct LocalTime: Sendable, Equatable {
    /// Year of the Gregorian calendar.
    package let year: Int
    /// Month, 1…12.
    package let month: Int
    /// Day of the month, 1…31.
    package let day: Int
    /// Time of day that a wall clock shows, as time since midnight. On a day with a daylight saving change,
    /// this differs from the elapsed time since midnight.
    package let timeSinceMidnight: Nanoseconds

    /// Converts a date to the local time of this machine, using the time zone offset at that date (localtime_r(3)).
    package init(_ date: Date) { self.init(date, secondsFromGMT: Self.secondsFromGMT(at: date)) }

    /// Returns the offset of this machine's local time from UTC at a date, in seconds.
    package static func secondsFromGMT(at date: Date) -> Int {
        var seconds = time_t(Int64(rounding: date.timeIntervalSince1970.rounded(.down)))
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return parts.tm_gmtoff
    }

    /// Converts a date to local time.
    ///
    /// - Parameters:
    ///   - date: The date to convert.
    ///   - offset: Offset of the local time from UTC, in seconds.
    package init(_ date: Date, secondsFromGMT offset: Int) {
        let local = date.timeIntervalSince1970 + Double(offset)
        let days = (local / 86400).rounded(.down)
        timeSinceMidnight = .seconds(rounding: min(max(local - days * 86400, 0), 86400 - 1e-6))
        (year, month, day) = Self.civil(daysSince1970: Int(days))
    }

    /// Hour, 0…23.
    package var hour: Int { Int(timeSinceMidnight.count / 3_600_000_000_000) }
    /// Minute, 0…59.
    package var minute: Int { Int(timeSinceMidnight.count / 60_000_000_000) % 60 }
    /// Second, 0…59.
    package var second: Int { Int(timeSinceMidnight.count / 1_000_000_000) % 60 }

    /// Returns the time of day as a number of audio samples since midnight, rounded to the nearest integer,
    /// for a rate in samples per second.
    package func samples(rate: Int) -> Int64 {
        MediaTime(nanoseconds: timeSinceMidnight.count).ticks(perSecond: Int64(rate))
    }

    /// Converts a day number to a Gregorian date. The algorithm is Howard Hinnant's `civil_from_days`, which
    /// uses 400-year eras that start in March.
    private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
