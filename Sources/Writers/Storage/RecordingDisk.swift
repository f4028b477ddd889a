package import Containers
internal import Media
package import SessionFolder

/// One folder that a recording is written into, with what may wait in memory for its disk and the room held on it. Any
/// thread.
package final class RecordingDisk: Sendable {
    /// 0 is the recording's own, 1 the safety copy's.
    package let index: Int
    package let folder: SessionFolder
    let memory: WriteMemory
    package let room: ReservedSpace
    let gate = FinalizeBarrier()
    package let folderWriter: SessionFolderWriter
    package let waitsForRoom: Bool
    package let content: SafetyCopy.Content
    private let beforeWrite: @Sendable (String, Int64) -> Int32

    /// - Parameters:
    ///   - index: Its number.
    ///   - folder: On the disk.
    ///   - limits: What may wait in memory.
    ///   - content: Which files are written into it.
    ///   - waitsForRoom: Whether nothing may be left out: in simulated time, which would else outrun the disk.
    ///   - beforeWrite: A test's stand-in for a disk that fails: see `DiskConduct`.
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

    /// Whether it is the safety copy's: nothing of the recording waits for it.
    package var isCopy: Bool { index > 0 }

    /// Whether a file belongs here: one that holds the program, or another.
    package func takes(isProgram: Bool) -> Bool { content == .all || isProgram }

    /// What the disk does for a file that is written to it.
    var conduct: DiskConduct {
        let room = room
        var conduct = DiskConduct(makeRoom: { room.release() })
        conduct.beforeWrite = beforeWrite
        return conduct
    }

    func queue<Item: Sendable>() -> WriteQueue<Item> {
        WriteQueue(memory: memory, waitsForRoom: waitsForRoom)
    }
}
