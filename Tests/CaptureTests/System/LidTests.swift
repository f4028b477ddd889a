import Foundation
import Testing

@testable import MulticamCapture

@Suite("Lid of a laptop")
struct LidTests {
    @Test("is closed if the driver reports it, and open on a computer without a lid")
    func state() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "multicam-lid-\(UUID().uuidString)")
        let lid = folder.appending(path: "LID0")
        try FileManager.default.createDirectory(at: lid, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
        }
        #expect(!Lid.isClosed(folder: folder.path))
        for (text, isClosed) in [("state:      open\n", false), ("state:      closed\n", true)] {
            try text.write(to: lid.appending(path: "state"), atomically: true, encoding: .utf8)
            #expect(Lid.isClosed(folder: folder.path) == isClosed)
        }
        #expect(!Lid.isClosed(folder: folder.path + "/none"))
    }
}
