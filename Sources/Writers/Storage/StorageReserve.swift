internal import Media

/// Room on a disk that a recording must leave: to be noticed in time, and to finish every file. A value.
struct StorageReserve: Sendable, Equatable {
    /// What finishing takes: held on the disk, so that nobody else takes it.
    let finishing: Int64
    /// What is written until somebody notices that the room is at its end.
    let noticing: Int64

    /// Manifest, events, reports: some hundred KiB at most.
    private static let folderWriter: Int64 = 512 << 10
    /// The disk is asked once a second, and the answer may be a second old.
    private static let lookInterval = Nanoseconds.seconds(2)
    /// Encoders hold frames back to look ahead, up to a second, and their queues as many.
    private static let encoderDelay = Nanoseconds.seconds(2)

    /// - Parameters:
    ///   - finishing: Of each file, what it would still write if it were finished now, in bytes: its index at the end, and what
    ///     waits in memory.
    ///   - bytesPerSecond: At which the recording grows.
    ///   - delay: The alignment delay: what was captured and not yet decided.
    init(finishing: [Int64], bytesPerSecond: Double, delay: Nanoseconds) {
        let flow = max(0, bytesPerSecond)
        let indices = finishing.reduce(0, +)
        let underWay = flow * (delay + Self.encoderDelay).inSeconds
        // An eighth more, since indices grow on.
        self.finishing = indices + indices / 8 + Int64(underWay) + Self.folderWriter
        noticing = Int64(flow * Self.lookInterval.inSeconds)
    }

    /// How much to hold of a disk: no more than a quarter of a small one.
    ///
    /// - Parameters:
    ///   - free: What others see as free, in bytes.
    ///   - held: What is held already and not among it.
    /// - Returns: Bytes.
    func toHold(free: Int64, held: Int64) -> Int64 { max(0, min(finishing, (free + held) / 4)) }

    /// Whether the recording must end now for its files to be finished.
    func isReached(free: Int64, held: Int64) -> Bool { free < noticing + max(0, finishing - held) }
}
