import Foundation
import Testing

@Suite("Fault injection into a recording")
struct InjectionTests {
    /// Path of the program, which the package manager builds next to the test bundle.
    private static var program: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "multicam-inject")
    }

    /// Faults that earlier runs found and that have been fixed.
    private static let found = [
        "file.open.a/session/manifest.json.new:5:EIO:5", "file.rename.a/session/manifest.json:3:EACCES:3",
        "file.sync.b/session/audio/host-2.wav:1:EROFS:1",
        "file.write.b/session/events.ndjson:1:ENOSPC+:1", "host:1:nan:1", "host:2:hot:2",
        "microphone.guest.event:1:away+:1", "microphone.host.event:107:returned+:1",
        "shortcoming:1:otherwise:1", "encoder.program:12:damaged+:1", "finish.side:1:nothing:1",
        "sound.program:1:noDuration+:1", "resampler.host:1:nothing+:1", "correct.guest:1:throws+:1",
        "loudness.host:1:nan+:1", "host:2:freeMax:2", "microphone.guest.event:1:noChannels+:1",
        "microphone.host.event:1:timeAhead+:1", "microphone.guest.event:1:odd+:1",
        "camera.desk.event:1:countMin+:1", "camera.desk.event:1:awayBack+:1",
        "camera.face.event:1:lost-max+:1",
        "camera.side.event:1:sizeHuge+:1", "camera.side.event:11:sizeHuge+:1",
        "camera.face.warm-up:2:otherPixel+:1",
    ]

    @Test("a recording survives 200 faults, loses only the affected parts, and accounts for the losses")
    func sample() throws {
        let (status, text) = try inject("--sample", "200", "--calls", "3")
        #expect(status == 0 && text.contains("200 points"), "\(text)")
    }

    @Test("a recording survives faults that it once didn't survive")
    func mended() throws {
        let (status, text) = try inject("--try", faults: Self.found)
        #expect(status == 0 && text.contains("\(Self.found.count) points"), "\(text)")
    }

    private func inject(_ words: String..., faults: [String] = []) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = words + faults
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
