import Foundation
import MulticamContainers
package import MulticamMedia
internal import MulticamSessionFolder
package import MulticamWriters

/// A temporary session folder on this machine's disk, which is deleted with this object.
package final class TestDisk {
    package let disk: RecordingDisk
    private let parent: URL

    /// - Parameters:
    ///   - limit: Maximum number of bytes queued in memory.
    ///   - audio: Maximum number of audio bytes queued in memory.
    ///   - batchingTime: Batching time of writes; zero if a test waits for the data that it has just written.
    ///   - index: The disk's number.
    ///   - waitsForRoom: Whether writers wait for space in the queue, as in simulated time.
    ///   - beforeWrite: A hook called before each write; see `FileWriteHooks`.
    /// - Throws: An error if the folder can't be created.
    package init(
        limit: Int? = nil, audio: Int = WriteLimits.defaultAudio, batchingTime: Nanoseconds = .zero,
        index: Int = 0, waitsForRoom: Bool = false,
        beforeWrite: @escaping @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
    ) throws {
        parent = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
        disk = RecordingDisk(
            index: index, folder: try SessionFolder(in: parent.path, name: "session"),
            limits: WriteLimits(total: limit, audio: audio, batchingTime: batchingTime),
            waitsForRoom: waitsForRoom, beforeWrite: beforeWrite)
    }

    deinit {
        disk.reservedSpace.finish()
        _ = disk.folderWriter.finish()
        do {
            try FileManager.default.removeItem(at: parent)
        } catch {
            print("left behind: \(parent.path): \(error)")
        }
    }

    package var path: String { disk.folder.path }

    package func movies() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".mov") }.sorted()
    }
}
