import Foundation
import MulticamSystem
import Testing

@testable import MulticamContainers

@Suite("Durability of a file name")
struct NameDurabilityTests {
    @Test("a name is durable when its file is finished, even immediately after creation")
    func atOnce() throws {
        for _ in 0..<50 {
            let disk = FileChangeRecorder()
            let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).mov").path
            defer { unlink(path) }
            let file = try OutputFile(creating: try ContainedFile(path: path), disk: disk.hooks)
            let durability = DurabilityThread(for: file)
            durability.finish()
            #expect(durability.failure == nil)
            #expect(disk.changes.contains(.nameDurable) && disk.changes.contains(.durable))
        }
    }
}
