import Foundation
import Testing

@testable import Capture

@Suite("The lid of a portable computer")
struct LidTests {
    @Test("it is closed when the driver says so, and open where there is none")
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
