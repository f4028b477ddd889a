/// Exponential backoff: delays between attempts, which double from a first one up to a longest one.
///
/// This value type only computes delays; the caller sleeps.
package struct Backoff: Sendable {
    private let first: Nanoseconds
    private let longest: Nanoseconds
    private var upcoming: Nanoseconds

    /// Creates a backoff whose first delay comes next.
    ///
    /// - Parameters:
    ///   - first: The first delay. Must be positive.
    ///   - longest: The longest delay, at least `first`.
    package init(from first: Nanoseconds, to longest: Nanoseconds) {
        (self.first, self.longest, upcoming) = (first, longest, first)
    }

    /// Returns the delay before the next attempt, and doubles the following one.
    package mutating func next() -> Nanoseconds {
        defer { upcoming = min(upcoming * 2, longest) }
        return upcoming
    }

    /// Returns to the first delay, because an attempt succeeded or the circumstances changed.
    package mutating func reset() { upcoming = first }
}
