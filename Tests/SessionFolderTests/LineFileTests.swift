import Foundation
import Glibc
import MulticamMedia
import MulticamSystem
import Testing

@testable import MulticamSessionFolder

@Suite("Line files")
struct LineFileTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).ndjson")
        .path

    @Test("A line that fits only partly on a full disk is removed, and the next line that fits is complete")
    func halfALine() throws {
        defer { unlink(path) }
        let room = ConditionLock(12)
        let file = try LineFile(creating: try ContainedFile(path: path)) { descriptor, bytes in
            let taken = room.withLock { room in
                defer { room -= min(room, bytes.count) }
                return min(room, bytes.count)
            }
            if taken == 0 { errno = ENOSPC }
            return taken == 0 ? -1 : Glibc.write(descriptor, bytes.baseAddress, taken)
        }
        try file.append("first")
        let error = #expect(throws: FileError.self) { try file.append("second, which is longer") }
        #expect(error?.errno == ENOSPC)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\n")
        room.withLock { $0 = 100 }
        try file.append("third")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\nthird\n")
    }
}
