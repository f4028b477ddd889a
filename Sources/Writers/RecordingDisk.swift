package import MulticamContainers
package import MulticamMedia
internal import MulticamMonitoring
package import MulticamSessionFolder

/// One folder of a recording, with the memory limits for writing to the folder and the disk space reserved in
/// it. Thread-safe.
package final class RecordingDisk: Sendable {
    /// Index of the disk: 0 for the recording, 1 for the backup.
    package let index: Int
    /// The session folder on the disk.
    package let folder: SessionFolder
    let memory: WriteMemory
    /// The disk space reserved for finalizing the files.
    package let reservedSpace: ReservedSpace
    let finalizeBarrier = FinalizeBarrier()
    /// The thread that writes the manifest, the events and the report.
    package let folderWriter: SessionFolderWriter
    /// Whether callers wait for space in the queues, as in simulated time.
    package let waitsForRoom: Bool
    /// The kinds of files that are written into the folder.
    package let content: Backup.Content
    private let beforeWrite: @Sendable (String, Int64) -> Int32

    /// Creates a disk and starts the thread that writes the manifest, the events and the report.
    ///
    /// - Parameters:
    ///   - index: Index of the disk: 0 for the recording, 1 for the backup.
    ///   - folder: The session folder on the disk.
    ///   - limits: Limits on the bytes that may be queued in memory.
    ///   - content: The kinds of files that are written into the folder.
    ///   - waitsForRoom: Whether callers wait for space in the queues. The value is `true` in simulated time,
    ///     which would otherwise run faster than the disk.
    ///   - beforeWrite: Injects disk failures in tests. The closure is called before each write with the path of the
    ///     file and the end of the write in bytes, and returns an errno value, or 0 for success.
    package init(
        index: Int, folder: SessionFolder, limits: WriteLimits, content: Backup.Content = .all,
        waitsForRoom: Bool, beforeWrite: @escaping @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
    ) {
        self.index = index
        self.folder = folder
        self.content = content
        self.waitsForRoom = waitsForRoom
        self.beforeWrite = beforeWrite
        memory = WriteMemory(limits)
        reservedSpace = ReservedSpace(in: folder.path)
        folderWriter = SessionFolderWriter(folder, room: reservedSpace, waitsForRoom: waitsForRoom)
    }

    /// Whether the disk holds the backup. The recording never waits for the backup.
    package var isBackup: Bool { index > 0 }

    /// Returns whether a file is written into the folder. `isProgram` is `true` for the file that contains
    /// the program.
    package func includesFile(isProgram: Bool) -> Bool { content == .all || isProgram }

    /// Hooks for writing files on this disk. If the disk is full, these hooks release the reserved space.
    var writeHooks: FileWriteHooks {
        let room = reservedSpace
        var hooks = FileWriteHooks(makeRoom: { room.release() })
        hooks.beforeWrite = beforeWrite
        return hooks
    }

    /// Creates the queue of one file.
    func queue<Item: Sendable>() -> WriteQueue<Item> {
        WriteQueue(memory: memory, waitsForRoom: waitsForRoom)
    }
}

/// A second session folder that is written at the same time as the recording's own folder, preferably on
/// another disk. A failure in one folder does not affect the other.
public struct Backup: Sendable, Equatable {
    /// The files that a backup contains.
    public enum Content: String, Sendable, CaseIterable {
        /// The backup contains every file of the recording.
        case all
        /// The backup contains only the program, the manifest, and the events.
        case program
    }

    /// Path of the parent folder. The backup's session folder is created in the parent folder, with the same
    /// name as the recording's own session folder.
    public var parentFolder: String
    /// The files that the backup contains.
    public var content: Content

    /// Describes a backup. Each parameter sets the property of the same name.
    public init(parentFolder: String, content: Content = .all) {
        self.parentFolder = parentFolder
        self.content = content
    }
}

/// Disk space, in bytes, that a recording must leave free in order to detect in time that the disk is filling
/// up, and to finalize all files.
struct StorageReserve: Sendable, Equatable {
    /// Number of bytes that finalization writes. This space is reserved on the disk, so that no other program
    /// uses it.
    let finalizationBytes: Int64
    /// Number of bytes that may be written before a shortage of disk space is detected.
    let detectionBytes: Int64

    /// Maximum size of the manifest, the events, and the report in bytes (several hundred KiB).
    private static let folderWriter: Int64 = 512 << 10
    /// Time until a shortage of disk space is detected. The disk is checked once per second, and a reading may be one
    /// second old.
    private static let detectionDelay = Nanoseconds.seconds(2)
    /// Maximum time that frames stay in encoders: up to one second of lookahead, and up to one second in the
    /// queues.
    private static let encoderDelay = Nanoseconds.seconds(2)

    /// Computes the disk space to reserve.
    ///
    /// - Parameters:
    ///   - finishing: For each file, the number of bytes that finalization would write now: the file's index,
    ///     and its data in memory.
    ///   - bytesPerSecond: Data rate of the recording.
    ///   - delay: The alignment delay, during which captured frames haven't been assigned to ticks yet.
    init(finishing: [Int64], bytesPerSecond: Double, delay: Nanoseconds) {
        let flow = max(0, bytesPerSecond)
        let indices = finishing.reduce(0, +)
        let underWay = flow * (delay + Self.encoderDelay).inSeconds
        // One eighth is added to the size of the indexes because the indexes continue to grow.
        self.finalizationBytes = indices + indices / 8 + Int64(underWay) + Self.folderWriter
        detectionBytes = Int64(flow * Self.detectionDelay.inSeconds)
    }

    /// Returns the number of bytes to reserve on a disk, at most a quarter of the available space.
    ///
    /// - Parameters:
    ///   - free: Number of bytes that are available to other programs.
    ///   - held: Number of bytes that are already reserved and not included in `free`.
    /// - Returns: The number of bytes to reserve.
    func bytesToReserve(free: Int64, held: Int64) -> Int64 {
        max(0, min(finalizationBytes, (free + held) / 4))
    }

    /// Whether the recording must end now so that its files can be finalized. The parameters `free` and
    /// `held` are in bytes.
    func isReached(free: Int64, held: Int64) -> Bool {
        free < detectionBytes + max(0, finalizationBytes - held)
    }
}

/// Monitors the free space on one disk during a recording, and determines when to warn and when to stop. The
/// monitor is a value type without side effects.
package struct StorageMonitor: Sendable {
    /// A finding of a disk space check.
    package enum Finding: Sendable, Equatable {
        /// The remaining space will last less than `minutes`. This finding is reported once per threshold.
        case runsOut(minutes: Int, timeLeft: Nanoseconds)
        /// The remaining space is needed to finalize the files.
        case atReserve
    }

    private static let warnings = [10, 5]

    private var headroom = DiskHeadroom()
    private var lastReading: ClockTime?
    /// Threshold of the last warning, in minutes; `nil` if no warning is active.
    private var lastWarning: Int?

    /// Number of bytes to reserve on the disk.
    package private(set) var bytesToReserve: Int64 = 0

    /// Creates a monitor that hasn't received any readings.
    package init(bytesToReserve: Int64 = 0) {
        self.bytesToReserve = bytesToReserve
    }

    /// Processes the next reading.
    ///
    /// - Parameters:
    ///   - disk: The disk space; `nil` if unknown.
    ///   - readAt: Time of the reading. A reading may be passed more than once.
    ///   - finishing: Number of bytes needed to finalize each file.
    ///   - held: Number of bytes reserved on the disk.
    ///   - delay: The alignment delay.
    /// - Returns: The finding that requires a warning or an action; `nil` if there is nothing to report.
    package mutating func evaluate(
        _ disk: DiskSpace?, readAt: ClockTime, finishing: [Int64], held: Int64, delay: Nanoseconds
    ) -> Finding? {
        guard readAt != lastReading else { return nil }
        lastReading = readAt
        let timeLeft = headroom.timeLeft(disk, readAt: readAt)
        guard let disk else { return nil }
        let reserve = StorageReserve(
            finishing: finishing, bytesPerSecond: headroom.bytesPerSecond ?? 0, delay: delay)
        bytesToReserve = reserve.bytesToReserve(free: disk.freeBytes, held: held)
        // Nothing is reported before the data rate is known. If the disk is full from the start, the first
        // write fails and reports the problem.
        guard let timeLeft else { return nil }
        if reserve.isReached(free: disk.freeBytes, held: held) { return .atReserve }
        return warning(timeLeft)
    }

    private mutating func warning(_ timeLeft: Nanoseconds) -> Finding? {
        let minutes = timeLeft.inSeconds / 60
        // The remaining time is twice that of the last warning, so disk space has been freed.
        if let lastWarning, minutes > Double(2 * lastWarning) { self.lastWarning = nil }
        guard let due = Self.warnings.last(where: { minutes < Double($0) }),
            lastWarning.map({ due < $0 }) ?? true
        else { return nil }
        lastWarning = due
        return .runsOut(minutes: due, timeLeft: timeLeft)
    }
}

/// Delays the finalization of a folder's files until all files have received all their packets.
///
/// If the process is killed during finalization, no file loses packets, regardless of the order of finalization. A disk
/// or encoder that hangs delays finalization by at most one second. Thread-safe.
final class FinalizeBarrier: Sendable {
    /// Number of files that haven't received all their packets yet.
    private let open = ConditionLock(0)

    private static let maxWait = Nanoseconds.seconds(1)

    /// Registers a file that has been started.
    func register() { open.withLock { $0 += 1 } }

    /// Unregisters a file that could not be started.
    func unregister() { open.broadcast { $0 -= 1 } }

    /// Declares that a file has received all its packets, or that no more packets will arrive. Then waits,
    /// for at most one second, until the same has been declared for all files.
    func arriveAndWait() {
        open.broadcast { $0 -= 1 }
        _ = open.wait(until: MonotonicClock().now + Self.maxWait) { $0 <= 0 ? true : nil }
    }
}
