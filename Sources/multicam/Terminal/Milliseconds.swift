import Media

/// Formats times in milliseconds with one decimal place.
enum Milliseconds {
    /// The time in milliseconds, without the unit: `137.2`, `-0.4`, `0.0`.
    static func text(_ time: Nanoseconds) -> String {
        let (sign, count) = (time.count < 0 ? "-" : "", time.count.magnitude)
        let tenths = (count + 50_000) / 100_000
        return (tenths == 0 ? "" : sign) + "\(tenths / 10).\(tenths % 10)"
    }
}
