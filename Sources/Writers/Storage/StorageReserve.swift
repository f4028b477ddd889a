internal import Media

/// Room in bytes that a recording must leave on a disk: to notice the end in time, and to finish every file. A value.
struct StorageReserve: Sendable, Equatable {
    /// Bytes that finishing writes; held on the disk, so that no other program takes them.
    let finishing: Int64
    /// Bytes that are written until the end of the room is noticed.
    let noticing: Int64

    /// Bytes of manifest, events and report: some hundred KiB at most.
    private static let folderWriter: Int64 = 512 << 10
    /// Time until the end of the room is noticed: the disk is read once a second, and a reading may be a second old.
    private static let lookInterval = Nanoseconds.seconds(2)
    /// Time that frames stay in encoders: held back to look ahead, up to a second, and as many in their queues.
    private static let encoderDelay = Nanoseconds.seconds(2)

    /// Computes the reserve.
    ///
    /// - Parameters:
    ///   - finishing: Bytes that each file would still write if it were finished now: its index at the end, and what
    ///     waits in memory.
    ///   - bytesPerSecond: Rate at which the recording grows.
    ///   - delay: The alignment delay: what was captured and is not decided yet.
    init(finishing: [Int64], bytesPerSecond: Double, delay: Nanoseconds) {
        let flow = max(0, bytesPerSecond)
        let indices = finishing.reduce(0, +)
        let underWay = flow * (delay + Self.encoderDelay).inSeconds
        // An eighth more, since indices go on growing.
        self.finishing = indices + indices / 8 + Int64(underWay) + Self.folderWriter
        noticing = Int64(flow * Self.lookInterval.inSeconds)
    }

    /// How many bytes to hold on a disk: no more than a quarter of a small one.
    ///
    /// - Parameters:
    ///   - free: Bytes that other programs see as free.
    ///   - held: Bytes that are held already and are not among the free ones.
    /// - Returns: The bytes to hold.
    func toHold(free: Int64, held: Int64) -> Int64 { max(0, min(finishing, (free + held) / 4)) }

    /// Whether the recording must end now so that its files can be finished; both parameters are in bytes.
    func isReached(free: Int64, held: Int64) -> Bool { free < noticing + max(0, finishing - held) }
}
