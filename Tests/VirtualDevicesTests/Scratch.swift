import Foundation

/// A temporary folder for a test, and programs that check its files.
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

    /// Runs `ffmpeg`. Throws if it prints an error.
    func ffmpeg(_ arguments: String...) throws { try ffmpeg(arguments) }

    /// Runs `ffmpeg`. Throws if it prints an error.
    func ffmpeg(_ arguments: [String]) throws {
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

    /// Decodes a stream of frames with ffmpeg and returns the first `count` bytes of each. These are the luma
    /// plane if `count` is its size.
    func decode(_ frames: [Data], as kind: String, size: Int, keeping count: Int) throws -> [[UInt8]] {
        try frames.reduce(Data(), +).write(to: folder.appending(path: "stream"))
        try ffmpeg(
            "-f", kind, "-i", path("stream"), "-fps_mode", "passthrough", "-f", "rawvideo", path("pixels"))
        let pixels = try Data(contentsOf: folder.appending(path: "pixels"))
        return stride(from: 0, to: pixels.count, by: size).map { Array(pixels[$0..<$0 + count]) }
    }
}
