import Foundation
import MulticamMedia
import Testing

@testable import MulticamSystem

@Suite("Write speed of a disk")
struct WriteSpeedTests {
    /// Calls `body` with a temporary folder in `parent`, which is deleted afterwards.
    private func inFolder<Result>(_ parent: String, _ body: (String) throws -> Result) throws -> Result {
        let path = "\(parent)/multicam-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                Issue.record(error)
            }
        }
        return try body(path)
    }

    @Test("is measured by writing a file, which is deleted")
    func measured() throws {
        // The package's build folder is on a disk.
        let here = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().path
        try inFolder(here) { folder in
            let speed = try WriteSpeedMeasurement(folder: folder).bytesPerSecond()
            #expect(speed > 1000 && speed < 1e12)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.isEmpty)
        }
    }

    @Test(
        "at most an eighth of the free space and 256 MB are written, or nothing if that is too little to measure",
        arguments: [
            (free: 0, room: nil), (free: 127_999_999, room: nil), (free: 128_000_000, room: 16_000_000),
            (free: 1_000_000_000, room: 125_000_000), (free: 4_000_000_000_000, room: 256_000_000),
            (free: -1, room: nil),
        ] as [(free: Int64, room: Int64?)])
    func room(free: Int64, room: Int64?) {
        #expect(WriteSpeedMeasurement.testSize(free: free) == room)
    }

    @Test(
        "a file system in memory is rejected with the reason",
        .enabled(if: FileSystemInfo("/dev/shm")?.isInMemory == true))
    func memory() throws {
        try inFolder("/dev/shm") { folder in
            let error = #expect(throws: FileError.self) {
                _ = try WriteSpeedMeasurement(folder: folder).bytesPerSecond()
            }
            #expect(error?.description.contains("in memory (tmpfs)") == true)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.isEmpty)
        }
    }

    @Test("a missing or read-only folder is rejected")
    func refused() throws {
        let missing = #expect(throws: FileError.self) {
            _ = try WriteSpeedMeasurement(folder: "/nonexistent").bytesPerSecond()
        }
        #expect(missing?.errno == ENOENT)
        let readOnly = #expect(throws: FileError.self) {
            _ = try WriteSpeedMeasurement(folder: "/proc").bytesPerSecond()
        }
        #expect(readOnly != nil)
    }

    @Test("a file system has the same identity for all its folders")
    func identity() throws {
        let root = try #require(FileSystemInfo("/proc"))
        #expect(FileSystemInfo("/proc/self") == root && !root.identity.isEmpty)
        let other = try #require(FileSystemInfo("/sys"))
        #expect(other.identity != root.identity && !other.isInMemory)
        #expect(FileSystemInfo("/nonexistent") == nil)
    }
}
