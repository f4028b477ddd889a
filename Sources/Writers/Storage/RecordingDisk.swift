package import Containers
internal import Media
package import SessionFolder

/// One folder of a recording, with the memory that may wait for its disk and the room that is held on it. Any thread.
package final class RecordingDisk: Sendable {
    /// Index of the disk: 0 for the recording's own, 1 for the safety copy's.
    package let index: Int
    /// The session folder on the disk.
    package let folder: SessionFolder
    let memory: WriteMemory
    /// The room that is held on the disk for finishing the files.
    package let room: ReservedSpace
    let gate = FinalizeBarrier()
    /// The thread that writes manifest, events and report.
    package let folderWriter: SessionFolderWriter
    /// Whether callers wait for room in the queues, as in simulated time.
    package let waitsForRoom: Bool
    /// Which files are written into the folder.
    package let content: SafetyCopy.Content
    private let beforeWrite: @Sendable (String, Int64) -> Int32

    /// Creates a disk, and starts the thread that writes manifest, events and report.
    ///
    /// - Parameters:
    ///   - index: Index of the disk: 0 for the recording's own, 1 for the safety copy's.
    ///   - folder: The session folder on the disk.
    ///   - limits: Limits of the bytes that may wait in memory.
    ///   - content: Which files are written into the folder.
    ///   - waitsForRoom: Whether callers wait for room in the queues, as in simulated time, which would outrun the
    ///     disk.
    ///   - beforeWrite: Injects disk failures in tests: called before each write with the file's path and the end of
    ///     the write in bytes; returns an errno, or 0 for success.
    package init(
        index: Int, folder: SessionFolder, limits: WriteLimits, content: SafetyCopy.Content = .all,
        waitsForRoom: Bool, beforeWrite: @escaping @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
    ) {
        self.index = index
        self.folder = folder
        self.content = content
        self.waitsForRoom = waitsForRoom
        self.beforeWrite = beforeWrite
        memory = WriteMemory(limits)
        room = ReservedSpace(in: folder.path)
        folderWriter = SessionFolderWriter(folder, room: room, waitsForRoom: waitsForRoom)
    }

    /// Whether the disk holds the safety copy: nothing of the recording waits for it.
    package var isCopy: Bool { index > 0 }

    /// Whether a file is written into the folder: one that holds the program, or another one.
    package func takes(isProgram: Bool) -> Bool { content == .all || isProgram }

    /// How files on this disk are written: it frees held room when the disk is full.
    var conduct: DiskConduct {
        let room = room
        var conduct = DiskConduct(makeRoom: { room.release() })
        conduct.beforeWrite = beforeWrite
        return conduct
    }

    /// Makes the queue of one file.
    func queue<Item: Sendable>() -> WriteQueue<Item> {
        WriteQueue(memory: memory, waitsForRoom: waitsForRoom)
    }
}
