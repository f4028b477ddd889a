package import Media
internal import Monitoring

/// Follows the room on one disk during a recording, and decides when to warn and when to end. A value: readings in,
/// findings out.
package struct StorageWatch: Sendable {
    /// A finding of a look at the disk.
    package enum Finding: Sendable, Equatable {
        /// The room lasts for less than `minutes`; found once for each limit.
        case runsOut(minutes: Int, timeLeft: Nanoseconds)
        /// The rest of the room is needed to finish the files.
        case atReserve
    }

    private static let warnings = [10, 5]

    private var headroom = DiskHeadroom()
    private var lastReading: ClockTime?
    /// The limit of the last warning in minutes, or `nil` while there is time.
    private var warned: Int?

    /// How many bytes to hold on the disk.
    package private(set) var toHold: Int64 = 0

    /// Creates a watch that has no reading yet.
    package init(toHold: Int64 = 0) {
        self.toHold = toHold
    }

    /// Takes the next reading.
    ///
    /// - Parameters:
    ///   - disk: The disk's space, or `nil` when it is unknown.
    ///   - readAt: When it was read. The same reading may be given again.
    ///   - finishing: Bytes that finishing each file would write.
    ///   - held: Bytes that are held on the disk.
    ///   - delay: The alignment delay.
    /// - Returns: What to tell or to do, or `nil` for nothing.
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
        // Nothing is found before the rate is known: a disk that is full at once fails by itself.
        guard let timeLeft else { return nil }
        if reserve.isReached(free: disk.freeBytes, held: held) { return .atReserve }
        return warning(timeLeft)
    }

    private mutating func warning(_ timeLeft: Nanoseconds) -> Finding? {
        let minutes = timeLeft.inSeconds / 60
        // Twice as much time as the last warning said: somebody has made room.
        if let warned, minutes > Double(2 * warned) { self.warned = nil }
        guard let due = Self.warnings.last(where: { minutes < Double($0) }), warned.map({ due < $0 }) ?? true
        else { return nil }
        warned = due
        return .runsOut(minutes: due, timeLeft: timeLeft)
    }
}
