import Foundation
import Media
import SessionFolder
import Testing
import VirtualDevices

@Suite("losses without tracks of their own")
struct ProgramLossTests {
    @Test("what a camera lost to the program stands in the program's ledger")
    func programOnly() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?drop=0.1", size: 320x180, rate: 30 } }
            program: { size: 320x180, rate: 30, layout: single, main: a }
            """, seconds: 4)
        let frames = try #require(try recording.track("program").frames)
        #expect(frames.written == 120 && (frames.lost["bus"] ?? 0) > 3)
    }

    @Test("a copied H.264 camera that never returns is lost until the end")
    func goneForGood() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?format=h264&unplug=1", size: 320x180, rate: 30, format: h264 } }
            """, seconds: 3)
        let frames = try #require(try recording.track("a").frames)
        #expect((58...62).contains(frames.lost["away"] ?? 0))
        #expect(recording.manifest.gaps.count == 1)
    }

    private let size = FrameSize(width: 320, height: 180)

    @Test("JPEGs that only decoding shows to be damaged are replaced by the last good one, and counted")
    func damagedData() async throws {
        let source = try await Recording(
            "cameras: { a: { device: \"virtual:clap\", size: 320x180, rate: 30 } }", seconds: 3)
        var file = try source.bytes("cameras/a.mov")
        // In every tenth frame after the first some data is gone; its markers are all there.
        let ends = file.indices.dropLast().filter { file[$0] == 0xFF && file[$0 + 1] == 0xD9 }
        try #require(ends.count == 90)
        let damaged = stride(from: 10, to: 90, by: 10).map { $0 }
        for number in damaged {
            let middle = (ends[number - 1] + ends[number]) / 2
            file.replaceSubrange(middle..<ends[number], with: repeatElement(0, count: ends[number] - middle))
        }
        let path = source.path("damaged.mov")
        try file.write(to: URL(fileURLWithPath: path))
        let recording = try await Recording(
            """
            cameras: { a: { device: "file:\(path)", rate: 30 } }
            program: { size: 320x180, rate: 30, layout: single, main: a }
            tracks: { cameras: copy }
            """, seconds: 2.9)
        let frames = try #require(try recording.track("program").frames)
        #expect(frames.written == 87 && frames.captured + frames.repeated + frames.slate == 87)
        #expect(frames.lost["corrupt"] == damaged.filter { $0 < 87 }.count)
        let shown = try Reader.strips(recording.path("program.mp4"), size: size).map { $0?.frame }
        let whole = try Reader.strips(source.path("cameras/a.mov"), size: size).map { $0?.frame }
        let wanted = (0..<87).map { damaged.contains($0) ? whole[$0 - 1] : whole[$0] }
        #expect(shown == wanted)
        // The copied track keeps what the camera sent.
        let sent = try Reader.packetHashes(path)
        #expect(try Reader.packetHashes(recording.path("cameras/a.mov")) == Array(sent.prefix(87)))
    }

    @Test("an H.264 camera that lost a frame shows its last good one until the next key frame")
    func brokenStream() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?format=h264&drop=0.02&seed=3", size: 320x180, rate: 30, format: h264 }
            program: { size: 320x180, rate: 30, layout: single, main: a }
            tracks: { cameras: encode }
            """, seconds: 4)
        for (name, file) in [("program", "program.mp4"), ("a", "cameras/a.mov")] {
            let frames = try #require(try recording.track(name).frames)
            #expect(frames.written == 120)
            #expect(frames.captured - frames.skipped + frames.repeated + frames.slate == 120)
            #expect((frames.lost["bus"] ?? 0) > 0 && (frames.lost["corrupt"] ?? 0) > 0)
            let shown = try Reader.strips(recording.path(file), size: size).compactMap { $0?.frame }
            #expect(shown.count == 120 && shown == shown.sorted())
        }
    }
}
