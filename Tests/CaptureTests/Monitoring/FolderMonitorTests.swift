import Foundation
import Media
import Testing

@testable import Capture

// Beside hundreds of others a test may wait minutes for its turn.
@Suite("News of a file", .timeLimit(.minutes(240)))
struct FolderMonitorTests {
    @Test(
        "a file that is put in its place is told, in a folder that is there or made later, and no other file")
    func news() throws {
        let root = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(atPath: root) } catch { Issue.record(error) }
        }
        let folder = root + "/state/multicam"
        let told = ConditionLock(0)
        let monitor = try #require(
            FolderMonitor(folder, prefix: "choices.json") { told.broadcast { $0 += 1 } })
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: folder + "/choices.json.new"))
        try FileManager.default.moveItem(
            atPath: folder + "/choices.json.new", toPath: folder + "/choices.json")
        // However the making of the folders and of the file fell together, the file's being there is told.
        told.wait { $0 > 0 ? true : nil }
        monitor.stop()

        let count = ConditionLock(0)
        let again = try #require(
            FolderMonitor(folder, prefix: "choices.json") { count.broadcast { $0 += 1 } })
        try Data().write(to: URL(fileURLWithPath: folder + "/devices.json"))
        #expect(count.withLock { $0 } == 0)
        try FileManager.default.removeItem(atPath: folder + "/choices.json")
        count.wait { $0 > 0 ? true : nil }
        again.stop()
        again.stop()
    }
}
