import Foundation
import MulticamMedia
internal import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Testing

/// Tests recordings of media files that other programs made. They are read back by ffmpeg.
@Suite("Recordings of media files")
struct FileRecordingTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func make(_ name: String, _ arguments: [String]) throws -> String {
        let path = folder.appending(path: name).path
        try Reader.run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments + [path])
        return path
    }

    private func probe(_ path: String, _ entries: String) throws -> String {
        let output = try Reader.run(
            "ffprobe",
            ["-v", "error", "-select_streams", "v", "-show_entries", entries, "-of", "csv=p=0", path])
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test(
        "non-square pixels stay so in the track, with their aspect ratio in its file, and are square in the program",
        arguments: ["copy", "encode"])
    func pixels(mode: String) async throws {
        defer { remove() }
        let path = try make(
            "wide.mov",
            [
                "-f", "lavfi", "-i", "color=white:s=160x120:r=10:d=2", "-vf", "setsar=2", "-c:v", "mjpeg",
                "-pix_fmt",
                "yuvj420p",
            ])
        let recording = try await Recording(
            """
            cameras: { desk: { device: "file:\(path)" } }
            tracks: { cameras: \(mode) }
            program: { size: 320x120, layout: single, rate: 10 }
            """, seconds: 1)
        #expect(try recording.track("desk").pixel_aspect == "2:1")
        try recording.checkSchema()
        #expect(
            try probe(recording.path("cameras/desk.mov"), "stream=width,height,sample_aspect_ratio")
                == "160,120,2:1")
        // The program is white from its left edge to its right edge.
        let corners = try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-ss", "0.5", "-i", recording.path("program.mp4"), "-frames:v", "1", "-vf",
                "scale=4:1:flags=area,format=gray", "-f", "rawvideo", "-",
            ])
        #expect(corners.count == 4 && corners.allSatisfy { $0 > 200 })
    }

    @Test("`camera:ROLE` of a file is the file's audio, in sync with its frames")
    func companion() async throws {
        defer { remove() }
        let path = try make(
            "both.mov",
            [
                "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=2", "-itsoffset", "0.5", "-f", "lavfi", "-i",
                "sine=f=440:r=48000:d=1.5", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-c:a", "pcm_s16le",
            ])
        let recording = try await Recording(
            """
            cameras: { desk: { device: "file:\(path)" } }
            microphones: { host: { device: "camera:desk" } }
            tracks: { cameras: copy }
            """, seconds: 1)
        #expect(recording.manifest.devices.map(\.type) == ["file", "file"])
        let samples = try Reader.run(
            "ffmpeg", ["-v", "error", "-i", recording.path("audio/host.wav"), "-f", "f32le", "-ac", "1", "-"])
        let first = samples.withUnsafeBytes { $0.bindMemory(to: Float.self).firstIndex { abs($0) > 0.01 } }
        #expect((24_000...24_020).contains(try #require(first)))
        #expect(recording.manifest.gaps.isEmpty)
    }

    @Test("a recording longer than its file reports the end of the file, not an unplugged cable")
    func end() async throws {
        defer { remove() }
        let path = try make(
            "short.mov",
            ["-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=1", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"])
        let recording = try await Recording(
            """
            cameras: { desk: { device: "file:\(path)" } }
            tracks: { cameras: copy }
            """, seconds: 2)
        let verdict = Verdict(recording.manifest).text
        #expect(verdict.contains("the file ended before the recording") && !verdict.contains("cable"))
    }

    @Test("a synthetic camera lacks a microphone, which is reported without querying the sound server")
    func synthetic() async throws {
        defer { remove() }
        let error = await #expect(throws: SetupError.self) {
            _ = try await Recording(
                """
                cameras: { desk: { device: "virtual:clap" } }
                microphones: { host: { device: "camera:desk" } }
                """, seconds: 1)
        }
        #expect(error.map { "\($0)" }?.contains("is synthetic and does not have a microphone") == true)
    }

    private func remove() {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("left behind: \(folder.path): \(error)")
        }
    }
}
