import Foundation

/// A folder of its own for a test, and programs that judge what is in it.
final class Scratch {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "virtual-devices-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch {
            print("\(folder.path) stays: \(error)")
        }
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Runs `ffmpeg`, which must not have a single complaint.
    func ffmpeg(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-y"] + arguments
        let complaints = Pipe()
        process.standardError = complaints
        try process.run()
        let said = complaints.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, said.isEmpty else {
            throw Failure(description: "ffmpeg \(arguments): \(String(decoding: said, as: UTF8.self))")
        }
    }

    /// The first `count` bytes of each frame, as ffmpeg decodes a stream of them: the luma when `count` is its size.
    func decode(_ frames: [Data], as kind: String, size: Int, keeping count: Int) throws -> [[UInt8]] {
        try frames.reduce(Data(), +).write(to: folder.appending(path: "stream"))
        try ffmpeg(
            "-f", kind, "-i", path("stream"), "-fps_mode", "passthrough", "-f", "rawvideo", path("pixels"))
        let pixels = try Data(contentsOf: folder.appending(path: "pixels"))
        return stride(from: 0, to: pixels.count, by: size).map { Array(pixels[$0..<$0 + count]) }
    }
}
