import Foundation
import MulticamEncoding
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamVirtualDevices
import Testing

@Suite("encoder failures while recording")
struct EncoderFailureTests {
    private static let size = FrameSize(width: 320, height: 180)

    private static func profile(_ preset: String = "balanced") -> String {
        """
        cameras:
          a: { device: "virtual:clap?format=yuyv", size: 320x180, rate: 30 }
          b: { device: "virtual:clap", size: 320x180, rate: 30 }
        microphones: { host: { device: "virtual:clap" } }
        program: { size: 320x180, rate: 30, layout: single, main: b, audio: { mix: [host] } }
        tracks: { cameras: encode, microphones: wav, video: { preset: \(preset) } }
        """
    }

    private final class Done {
        let result: RecordingResult
        let events: [String]
        private let scratch: URL

        init(_ profile: String, codecs: any CodecFactory, seconds: Int64 = 3) async throws {
            scratch = FileManager.default.temporaryDirectory.appending(path: "failing-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            let file = scratch.appending(path: "test.yaml")
            try profile.write(to: file, atomically: true, encoding: .utf8)
            let setup = try SessionSetup(SessionConfiguration(profile: file.path))
            let session = MulticamSession(
                plan: setup.plan, cameras: setup.cameras, microphones: setup.microphones,
                options: RecordingOptions(
                    parentFolder: scratch.path, name: "session", duration: .seconds(seconds), version: "0.0.0"
                ),
                clock: SimulatedClock(), codecs: codecs)
            result = try await session.recordChecked()
            events = try String(contentsOfFile: result.folder + "/events.ndjson", encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }

        deinit {
            do { try FileManager.default.removeItem(at: scratch) } catch {
                print("left behind: \(scratch.path): \(error)")
            }
        }

        func path(_ file: String) -> String { "\(result.folder)/\(file)" }
        func bytes(_ file: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(file))) }
        func track(_ name: String) throws -> Manifest.Track {
            try #require(result.manifest.tracks.first { $0.name == name })
        }
        var encoderEvents: [String] { events.filter { $0.contains("\"event\":\"encoder\"") } }

        func checkSchema() throws {
            let schema = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
                path: "../../../docs/manifest.schema.json")
            let check =
                "import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))"
            try Reader.run("python3", ["-c", check, path("manifest.json"), schema.path])
        }
    }

    /// Checks that files are the same. Files with one stream are identical to the byte. If two threads encode
    /// for one file, the packet order depends on the scheduler, but each stream is identical.
    private func expectSame(_ done: Done, as whole: Done, _ files: [String]) throws {
        for file in files where file != "program.mp4" {
            #expect(try done.bytes(file) == whole.bytes(file), "\(file)")
        }
        guard files.contains("program.mp4") else { return }
        func streams(_ done: Done) throws -> Data {
            try Reader.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", done.path("program.mp4"), "-map", "0", "-c", "copy", "-f",
                    "framemd5", "-",
                ])
        }
        #expect(try streams(done) == streams(whole))
    }

    @Test(
        "a failed encoder is replaced in the same file: no tick is missing, losses are in the ledger, other tracks are unaffected",
        arguments: ["balanced", "superfast"])
    func replaced(_ preset: String) async throws {
        let profile = Self.profile(preset)
        let whole = try await Done(profile, codecs: Codecs())
        let done = try await Done(
            profile, codecs: FailingCodecs("a") { number, tick in number == 0 && tick == 40 })
        try expectSame(done, as: whole, ["program.mp4", "cameras/b.mov", "audio/host.wav"])
        let frames = try #require(try done.track("a").frames)
        let lost = try #require(frames.lost["encoder"])
        #expect(lost >= 1 && lost <= 10)
        #expect(frames.written == 90 && frames.captured == 90 - lost && frames.duplicated == lost)
        #expect(try done.track("a").failure == nil && done.result.encodingFailures.isEmpty)
        #expect(try Reader.streams(done.path("cameras/a.mov")).first?.frameCount == 90)
        let numbers = try Reader.strips(done.path("cameras/a.mov"), size: Self.size).compactMap {
            $0.map { Int($0.frame) }
        }
        // Lost ticks show the frame that the encoder failed on.
        let wanted = (0..<90).map { $0 < 40 - lost || $0 > 40 ? $0 : 40 }
        #expect(numbers.map { $0 - numbers[0] } == wanted)
        #expect(done.encoderEvents.count == 1)
        let event = try #require(done.encoderEvents.first)
        #expect(event.contains("\"lost\":\(lost)") && event.contains("it is made to fail"))
    }

    @Test(
        "a new encoder with other parameter sets isn't used: the track ends with that failure, and its file plays"
    )
    func otherParameterSets() async throws {
        let whole = try await Done(Self.profile(), codecs: Codecs())
        let done = try await Done(
            Self.profile(),
            codecs: FailingCodecs("a", successorsDiffer: true) { number, tick in number == 0 && tick == 40
            })
        try expectSame(done, as: whole, ["program.mp4", "cameras/b.mov", "audio/host.wav"])
        let track = try done.track("a")
        let frames = try #require(track.frames?.written)
        #expect(frames > 0 && frames <= 40 && track.ended_ns != nil)
        #expect(track.failure?.contains("the new parameter sets differ") == true)
        let numbers = try Reader.strips(done.path("cameras/a.mov"), size: Self.size).compactMap { $0?.frame }
        #expect(numbers.count == frames && zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    @Test(
        "if a new encoder can't be created, another attempt follows after a pause, and ticks are duplicated"
    )
    func again() async throws {
        let whole = try await Done(Self.profile(), codecs: Codecs())
        let done = try await Done(
            Self.profile(),
            codecs: FailingCodecs("a") { number, tick in
                tick == nil ? number == 1 || number == 2 : number == 0 && tick == 40
            })
        try expectSame(done, as: whole, ["program.mp4", "cameras/b.mov", "audio/host.wav"])
        let frames = try #require(try done.track("a").frames)
        // The value is a quarter of the frames plus half a second.
        let lost = try #require(frames.lost["encoder"])
        #expect(frames.written == 90 && (23...33).contains(lost) && frames.captured == 90 - lost)
        #expect(try Reader.streams(done.path("cameras/a.mov")).first?.frameCount == 90)
        #expect(done.encoderEvents.count == 1 && done.result.encodingFailures.isEmpty)
    }

    @Test(
        "three consecutive failures end the track, as reported in manifest and one event; other files are unaffected"
    )
    func ended() async throws {
        let whole = try await Done(Self.profile(), codecs: Codecs())
        let done = try await Done(
            Self.profile(), codecs: FailingCodecs("a") { _, tick in tick.map { $0 >= 40 } ?? false })
        try expectSame(done, as: whole, ["program.mp4", "cameras/b.mov", "audio/host.wav"])
        let track = try done.track("a")
        let written = try #require(track.frames?.written)
        #expect((30...40).contains(written))
        let end = FrameRate(30).time(ofTick: Int64(written)).nanoseconds
        #expect(track.ended_ns == end && track.duration_ns == end)
        #expect(try #require(track.failure).contains("it is made to fail"))
        #expect(try Reader.streams(done.path("cameras/a.mov")).first?.frameCount == written)
        #expect(done.result.encodingFailures.count == 1)
        #expect(done.result.manifest.outcome == .finished && done.result.isStored)
        #expect(done.encoderEvents.count == 1)
        #expect(done.encoderEvents.first?.contains("\"ended_ns\":\(end)") == true)
        #expect(done.result.manifest.duration_ns == 3_000_000_000)
        try done.checkSchema()
    }

    @Test("after the program's encoder fails, its audio continues, and the tracks are identical to the byte")
    func program() async throws {
        let whole = try await Done(Self.profile(), codecs: Codecs())
        let done = try await Done(
            Self.profile(), codecs: FailingCodecs("program") { _, tick in tick.map { $0 >= 40 } ?? false })
        try expectSame(done, as: whole, ["cameras/a.mov", "cameras/b.mov", "audio/host.wav"])
        let track = try done.track("program")
        let written = try #require(track.frames?.written)
        #expect(track.ended_ns == FrameRate(30).time(ofTick: Int64(written)).nanoseconds)
        #expect(track.duration_ns == 3_000_000_000 && track.failure != nil)
        let audio = try #require(
            try Reader.streams(done.path("program.mp4")).first { $0.codec_type == "audio" })
        try expect(audio, lasts: 3, within: 0.001)
        try done.checkSchema()
    }

    @Test("failure of the only track's encoder ends the recording")
    func alone() async throws {
        let profile = """
            cameras: { a: { device: "virtual:clap?format=yuyv", size: 320x180, rate: 30 } }
            tracks: { cameras: encode }
            """
        let done = try await Done(
            profile, codecs: FailingCodecs("a") { _, tick in tick.map { $0 >= 10 } ?? false },
            seconds: 3600)
        #expect(done.result.manifest.duration_ns < 60_000_000_000)
        #expect(done.result.encodingFailures.count == 1)
    }
}
