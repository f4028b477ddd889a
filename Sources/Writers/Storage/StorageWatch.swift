package import Media
internal import Monitoring

/// Follows the room on one disk while it is recorded to, and decides what to say and when to end. A value: readings in,
/// findings out.
package struct StorageWatch: Sendable {
    package enum Finding: Sendable, Equatable {
        /// The first look below so many minutes.
        case runsOut(minutes: Int, timeLeft: Nanoseconds)
        /// What is left is needed to finish the files.
        case atReserve
    }

    private static let warnings = [10, 5]

    private var headroom = DiskHeadroom()
    private var lastReading: ClockTime?
    /// What was warned of last, in minutes; `nil` while there is time.
    private var warned: Int?

    /// How much of the disk is to be held.
    package private(set) var toHold: Int64 = 0

    package init(toHold: Int64 = 0) {
        self.toHold = toHold
    }

    /// Takes the next look.
    ///
    /// - Parameters:
    ///   - disk: What it says; `nil` where it says nothing.
    ///   - readAt: When it said so. The same reading may be given again.
    ///   - finishing: Of each file, what finishing it would write.
    ///   - held: What is held of the disk.
    ///   - delay: The alignment delay.
    /// - Returns: What there is to say or to do; `nil` where there is nothing.
    package mutating func look(
        _ disk: DiskSpace?, readAt: ClockTime, finishing: [Int64], held: Int64, delay: Nanoseconds
    ) -> Finding? {
        guard readAt != lastReading else { return nil }
        lastReading = readAt
        let timeLeft = headroom.timeLeft(disk, readAt: readAt)
        guard let disk else { return nil }
        let reserve = StorageReserve(
            finishing: finishing, bytesPerSecond: headroom.bytesPerSecond ?? 0, delay: delay)
        toHold = reserve.toHold(free: disk.freeBytes, held: held)
        // Not before the rate is known: a disk that is full at once says so itself.
        guard let timeLeft else { return nil }
        if reserve.isReached(free: disk.freeBytes, held: held) { return .atReserve }
        return warning(timeLeft)
    }

    private mutating func warning(_ timeLeft: Nanoseconds) -> Finding? {
        let minutes = timeLeft.inSeconds / 60
        // Twice as much as the last warning said: somebody has made room.
        if let warned, minutes > Double(2 * warned) { self.warned = nil }
        guard let due = Self.warnings.last(where: { minutes < Double($0) }), warned.map({ due < $0 }) ?? true
        else { return nil }
        warned = due
        return .runsOut(minutes: due, timeLeft: timeLeft)
    }
}
