import Foundation
import MulticamMedia
import MulticamSessionFolder
import MulticamVirtualDevices
import Testing

@Suite("Losses of cameras without separate tracks")
struct ProgramLossTests {
    @Test(
        "missing frames of a camera without a track are counted in ticks of the program")
    func programOnly() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?drop=0.1", size: 320x180, rate: 30 } }
            program: { size: 320x180, rate: 30, layout: single, main: a }
            """, seconds: 4)
        let program = try recording.track("program")
        #expect(program.frames?.written == 120 && program.frames?.lost == [:])
        #expect((program.missing?["a"]?["bus"] ?? 0) > 3)
        #expect(Verdict(recording.manifest).text.contains("the program is missing camera a in "))
        try recording.checkSchema()
    }

    @Test("a program never reports more losses than it has frames, and none for an inset with a track")
    func inset() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap", size: 320x180, rate: 30 }
              b: { device: "virtual:clap?unplug=1", size: 320x180, rate: 60 }
            program: { size: 320x180, rate: 30, layout: pip, main: a, inset: b }
            tracks: { cameras: copy }
            """, seconds: 4)
        let program = try recording.track("program")
        #expect(program.frames?.written == 120 && program.frames?.lost == [:])
        #expect(
            (88...91).contains(program.missing?["b"]?["disconnected"] ?? 0) && program.missing?["a"] == nil)
        #expect(!Verdict(recording.manifest).text.contains("he program is missing"))
        #expect((178...181).contains(try recording.track("b").frames?.lost["disconnected"] ?? 0))
    }

    @Test(
        "a camera that hangs loses every frame that was due, whether or not it reports that",
        arguments: [
            (keys: "stall=1:3600", format: "mjpeg", captured: 29...31),
            (keys: "stall=0:3600", format: "mjpeg", captured: 0...1),
            (keys: "stall=1:3600&format=h264", format: "h264", captured: 29...31),
            (keys: "stall=0.5:1", format: "mjpeg", captured: 59...61),
            (keys: "unplug=1&replug=2", format: "mjpeg", captured: 58...61),
            (keys: "drift=-100000", format: "mjpeg", captured: 80...82),
        ] as [(keys: String, format: String, captured: ClosedRange<Int>)])
    func hanging(keys: String, format: String, captured: ClosedRange<Int>) async throws {
        let recording = try await Recording(
            "cameras: { a: { device: \"virtual:clap?\(keys)\", size: 320x180, rate: 30, format: \(format) } }",
            seconds: 3)
        let frames = try #require(try recording.track("a").frames)
        #expect(captured.contains(frames.captured), "\(frames)")
        let all = frames.captured + frames.lost.values.reduce(0, +)
        #expect((89...90).contains(all), "\(frames)")
        // Single missing frames of a slow camera are counted but aren't a gap.
        #expect(recording.manifest.gaps.isEmpty == keys.hasPrefix("drift"))
    }

    @Test("a copied H.264 camera that never returns counts as lost until the end")
    func goneForGood() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?format=h264&unplug=1", size: 320x180, rate: 30, format: h264 } }
            """, seconds: 3)
        let frames = try #require(try recording.track("a").frames)
        #expect((58...62).contains(frames.lost["disconnected"] ?? 0))
        #expect(recording.manifest.gaps.count == 1)
    }

    private let size = FrameSize(width: 320, height: 180)

    @Test("JPEGs found damaged only by decoding are replaced by the last good one, and counted")
    func damagedData() async throws {
        let source = try await Recording(
            "cameras: { a: { device: \"virtual:clap\", size: 320x180, rate: 30 } }", seconds: 3)
        var file = try source.bytes("cameras/a.mov")
        // Every tenth frame after the first lacks some data, but all its markers are present.
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
        #expect(frames.written == 87 && frames.captured + frames.duplicated + frames.slate == 87)
        #expect(frames.lost["corrupt"] == damaged.filter { $0 < 87 }.count)
        let shown = try Reader.strips(recording.path("program.mp4"), size: size).map { $0?.frame }
        let whole = try Reader.strips(source.path("cameras/a.mov"), size: size).map { $0?.frame }
        let wanted = (0..<87).map { damaged.contains($0) ? whole[$0 - 1] : whole[$0] }
        #expect(shown == wanted)
        // The copied track contains the frames as the camera sent them.
        let sent = try Reader.packetHashes(path)
        #expect(try Reader.packetHashes(recording.path("cameras/a.mov")) == Array(sent.prefix(87)))
    }

    @Test("an H.264 camera that lost a frame shows its last good frame until the next key frame")
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
            #expect(frames.captured - frames.decimated + frames.duplicated + frames.slate == 120)
            let lost = try name == "a" ? frames.lost : recording.track(name).missing?["a"] ?? [:]
            #expect((lost["bus"] ?? 0) > 0 && (lost["corrupt"] ?? 0) > 0)
            let shown = try Reader.strips(recording.path(file), size: size).compactMap { $0?.frame }
            #expect(shown.count == 120 && shown == shown.sorted())
        }
    }
}
