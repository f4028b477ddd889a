import Foundation
import MulticamMedia
import Testing

@testable import MulticamCapture

// A test that runs in parallel with hundreds of others may wait minutes for its turn.
@Suite("Monitoring of a file", .timeLimit(.minutes(240)))
struct FolderMonitorTests {
    @Test(
        "reports a file that is moved into place, in an existing or a later folder, and ignores other files")
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
        // The file is reported regardless of the order of the events that occur while the folders and the
        // file are created.
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
