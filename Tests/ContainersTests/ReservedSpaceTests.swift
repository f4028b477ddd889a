import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("Reserved disk space")
struct ReservedSpaceTests {
    @Test("On a full disk, a file uses the reserved space and is complete")
    func used() throws {
        let folder = try Folder()
        let isReleased = ConditionLock(false)
        var disk = FileWriteHooks(makeRoom: {
            isReleased.withLock { wasReleased in
                defer { wasReleased = true }
                return !wasReleased
            }
        })
        let clip = try Clip.photographs.get()
        func record(_ name: String, _ disk: FileWriteHooks) throws -> Data {
            let file = try MovieFile(
                path: folder.file(name), kind: .mov,
                tracks: [.video(clip.parameters, rotation: .none, name: "desk")], createdAt: MovieFile.date,
                disk: disk)
            try file.append([clip])
            try file.finish()
            return try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
        }
        let whole = try record("whole.mov", FileWriteHooks())
        let half = Int64(whole.count / 2)
        disk.beforeWrite = { _, end in end > half && !isReleased.withLock { $0 } ? ENOSPC : 0 }
        #expect(try record("tight.mov", disk) == whole)
        #expect(isReleased.withLock { $0 })
    }

    @Test("The space is reserved without a file name, released on request, and then reported as needed")
    func held() throws {
        let folder = try Folder()
        let room = ReservedSpace(in: folder.path)
        #expect(!room.wasNeeded && room.reservedBytes == 0)
        room.reserve(1 << 20)
        while room.reservedBytes == 0 {}
        room.reserve(1000)
        #expect(room.reservedBytes == 1 << 20)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(room.release())
        #expect(room.wasNeeded && room.reservedBytes == 0)
        #expect(room.release(), "whoever comes later finds what was given back, too")
    }
}
