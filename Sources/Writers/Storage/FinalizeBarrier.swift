internal import Media

/// Lets the files of a folder be finished only once each of them has all that it gets.
///
/// Who is killed while files are finished has lost nothing then, whichever of them was the first. A disk or an encoder that hangs is
/// not waited for long. Any thread.
final class FinalizeBarrier: Sendable {
    /// Files that do not have everything yet.
    private let open = ConditionLock(0)

    private static let patience = Nanoseconds.seconds(1)

    /// A file is begun.
    func enter() { open.withLock { $0 += 1 } }

    /// A file has everything, or gets no more. Sleeps until that is so of all.
    func pass() {
        open.broadcast { $0 -= 1 }
        _ = open.wait(until: MonotonicClock().now + Self.patience) { $0 <= 0 ? true : nil }
    }
}
