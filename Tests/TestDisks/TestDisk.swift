import Containers
import Foundation
package import Media
internal import SessionFolder
package import Writers

/// A session folder of its own on this machine's disk, which goes with it.
package final class TestDisk {
    package let disk: RecordingDisk
    private let parent: URL

    /// - Parameters:
    ///   - limit: What may wait in memory, in bytes.
    ///   - audio: And of audio.
    ///   - gatheringTime: Zero where a test waits for what it has just brought.
    ///   - index: Its number.
    ///   - waitsForRoom: As in simulated time.
    ///   - beforeWrite: What the disk does first: see `DiskConduct`.
    /// - Throws: When the folder cannot be made.
    package init(
        limit: Int? = nil, audio: Int = WriteLimits.usualAudio, gatheringTime: Nanoseconds = .zero,
        index: Int = 0, waitsForRoom: Bool = false,
        beforeWrite: @escaping @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
    ) throws {
        parent = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
        disk = RecordingDisk(
            index: index, folder: try SessionFolder(in: parent.path, name: "session"),
            limits: WriteLimits(total: limit, audio: audio, gatheringTime: gatheringTime),
            waitsForRoom: waitsForRoom, beforeWrite: beforeWrite)
    }

    deinit {
        disk.room.finish()
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
