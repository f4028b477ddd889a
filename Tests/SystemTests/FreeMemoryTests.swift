import Foundation
import Testing

@testable import MulticamSystem

@Suite("Free memory")
struct FreeMemoryTests {
    private func bytes(_ text: String?) throws -> Int64? {
        let root = FileManager.default.temporaryDirectory.appending(
            path: "multicam-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root.appending(path: "proc"), withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: root) } catch { Issue.record(error) }
        }
        try text?.write(to: root.appending(path: "proc/meminfo"), atomically: true, encoding: .utf8)
        return FreeMemory.bytes(root: root.path)
    }

    @Test("is the available memory reported by the kernel, and unknown if the kernel does not report it")
    func available() throws {
        #expect(try bytes("MemTotal: 9 kB\nMemFree: 1 kB\nMemAvailable:   123456 kB\n") == 123_456 * 1024)
        #expect(try bytes("MemTotal: 9 kB\nMemFree: 1 kB\n") == nil)
        #expect(try bytes("MemAvailable: many kB\n") == nil)
        #expect(try bytes("MemAvailable: -5 kB\n") == nil)
        #expect(try bytes("MemAvailable: 9223372036854775807 kB\n") == nil)
        #expect(try bytes(nil) == nil)
    }
}
