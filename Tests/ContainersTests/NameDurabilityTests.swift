import Foundation
import Testing

@testable import Containers

@Suite("a file's name")
struct NameDurabilityTests {
    @Test("is durable when the file is finished, also where that is at once")
    func atOnce() throws {
        for _ in 0..<50 {
            let disk = Disk()
            let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).mov").path
            defer { unlink(path) }
            let file = try OutputFile(creating: path, disk: disk.conduct)
            let durability = DurabilityThread(for: file)
            durability.finish()
            #expect(durability.failure == nil)
            #expect(disk.changes.contains(.nameDurable) && disk.changes.contains(.durable))
        }
    }
}
