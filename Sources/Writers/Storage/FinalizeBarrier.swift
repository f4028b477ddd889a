internal import Media

/// Delays the finishing of a folder's files until each of them has all its packets.
///
/// A process that is killed while files are finished has lost nothing then, whichever file was the first. A disk or
/// an encoder that hangs is waited for one second at most. Any thread.
final class FinalizeBarrier: Sendable {
    /// Number of files that do not have all their packets yet.
    private let open = ConditionLock(0)

    private static let patience = Nanoseconds.seconds(1)

    /// Counts a file that begins.
    func enter() { open.withLock { $0 += 1 } }

    /// Notes that a file has all its packets, or gets no more, and waits until that holds for all files, one second
    /// at most.
    func pass() {
        open.broadcast { $0 -= 1 }
        _ = open.wait(until: MonotonicClock().now + Self.patience) { $0 <= 0 ? true : nil }
    }
}
