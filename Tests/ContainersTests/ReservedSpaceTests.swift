import Containers
import Foundation
import Media
import Testing

@Suite("Room that is held")
struct ReservedSpaceTests {
    @Test("A full disk makes a file use what was held, and the file is whole as if nothing had been")
    func used() throws {
        let folder = try Folder()
        let isReleased = ConditionLock(false)
        var disk = DiskConduct(makeRoom: {
            isReleased.withLock { wasReleased in
                defer { wasReleased = true }
                return !wasReleased
            }
        })
        let clip = try Clip.photographs.get()
        func record(_ name: String, _ disk: DiskConduct) throws -> Data {
            let file = try MovieFile(
                path: folder.file(name), kind: .mov,
                tracks: [.video(clip.parameters, rotation: .none, name: "desk")], createdAt: MovieFile.date,
                disk: disk)
            try file.append([clip])
            try file.finish()
            return try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
        }
        let whole = try record("whole.mov", DiskConduct())
        let half = Int64(whole.count / 2)
        disk.beforeWrite = { _, end in end > half && !isReleased.withLock { $0 } ? ENOSPC : 0 }
        #expect(try record("tight.mov", disk) == whole)
        #expect(isReleased.withLock { $0 })
    }

    @Test("It takes room of the disk without a name, gives it back when asked, and says that it was needed")
    func held() throws {
        let folder = try Folder()
        let room = ReservedSpace(in: folder.path)
        #expect(!room.wasNeeded && room.heldBytes == 0)
        room.hold(1 << 20)
        while room.heldBytes == 0 {}
        room.hold(1000)
        #expect(room.heldBytes == 1 << 20)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(room.release())
        #expect(room.wasNeeded && room.heldBytes == 0)
        #expect(room.release(), "whoever comes later finds what was given back, too")
    }
}
