import Foundation
import MulticamEncoding
import MulticamInputs
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamStills
import MulticamVirtualDevices
import Testing

@Suite("stills from a recording")
struct StillRecordingTests {
    /// Records in real time until a still of `desk` has been taken and a few more frames have been captured.
    private func record(
        _ camera: String, live: Nanoseconds = .zero, tracks: String = "copy", microphone: String? = nil,
        in scratch: URL
    ) async throws -> (result: RecordingResult, still: Result<StillFiles, StillError>) {
        let file = scratch.appending(path: "test.yaml")
        let microphones = microphone.map { "\nmicrophones: { host: { device: \"\($0)\" } }" } ?? ""
        try "cameras: { desk: { \(camera) } }\ntracks: { cameras: \(tracks) }\(microphones)".write(
            to: file, atomically: true, encoding: .utf8)
        let setup = try SessionSetup(SessionConfiguration(profile: file.path))
        let session = MulticamSession(
            setup,
            RecordingOptions(
                parentFolder: scratch.path, name: "session", duration: .seconds(60), version: "0.0.0"),
            clipLength: live)
        let taken = ConditionLock<Result<StillFiles, StillError>?>(nil)
        let taker = MediaThread.startWhenPossible(name: "taker") {
            let clock = MonotonicClock()
            let limit = clock.now + .seconds(30)
            while session.status.time < MediaTime(nanoseconds: 300_000_000), clock.now < limit {
                clock.sleep(until: clock.now + .milliseconds(20), unless: Cancellation())
            }
            let result = Result { () throws(StillError) in
                try session.writeStills(["desk"], in: scratch.path)
            }
            let files = result.flatMap { $0[0].files }
            taken.withLock { $0 = files }
            clock.sleep(until: clock.now + .milliseconds(500), unless: Cancellation())
            session.stop()
        }
        let result = try await session.recordChecked()
        taker.join()
        return (result, try #require(taken.withLock { $0 }))
    }

    /// Expects no losses, except for frames that were late because other tests keep the machine busy.
    private func expectNoLoss(_ result: RecordingResult) throws {
        let lost = try #require(result.manifest.tracks.first?.frames?.lost)
        #expect(lost.keys.allSatisfy { ["late", "driver"].contains($0) }, "\(lost)")
    }

    private func withScratch(_ body: (URL) async throws -> Void) async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "stills-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: scratch) } catch { print("left behind: \(error)") }
        }
        try await body(scratch)
    }

    @Test(
        "a still is the camera's original frame with Exif data, its clip is next to it, and the recording loses nothing"
    )
    func still() async throws {
        try await withScratch { scratch in
            let (result, still) = try await record(
                #"device: "virtual:clap?size=320x180", rotation: 90"#, live: .milliseconds(600), in: scratch)
            let files = try still.get()
            #expect(files.still.hasPrefix(scratch.path + "/session/stills/"))
            #expect(files.still.hasSuffix("_desk.jpg"))
            try expectNoLoss(result)
            #expect(
                try lines(
                    "exiftool", ["-s3", "-n", "-Orientation", "-ImageDescription", "-Model", files.still])
                    == ["6", "desk", "Virtual camera desk"])
            let clip = try #require(files.clip)
            let stream = try #require(try Reader.streams(clip).first)
            #expect((4...20).contains(stream.frameCount ?? 0))
            #expect(try scan(of: files.still).count > 1000)
            let own = try scan(of: files.still)
            #expect(try frames(of: clip, in: scratch).contains(own))
        }
    }

    @Test(
        "a still of a copied H.264 stream is its current frame, decoded separately, and in the manifest")
    func stream() async throws {
        try await withScratch { scratch in
            let (result, still) = try await record(
                #"device: "virtual:clap?size=320x180&format=h264", format: h264"#, in: scratch)
            let files = try still.get()
            try expectNoLoss(result)
            let told = try #require(result.manifest.stills?.first)
            #expect(scratch.path + "/session/" + told.file == files.still && told.role == "desk")
            // The code strip of the still is the number of a frame in the track near that time.
            let size = FrameSize(width: 320, height: 180)
            let strip = try #require(try Reader.strips(files.still, size: size).first ?? nil)
            let recorded = try Reader.strips(scratch.path + "/session/cameras/desk.mov", size: size)
            let first = try #require(recorded.compactMap { $0 }.first)
            let expected = Int(first.frame) + Int(told.at_ns * 30 / 1_000_000_000)
            #expect(abs(Int(strip.frame) - expected) <= 3)
        }
    }

    @Test("a still of a camera with non-square pixels has square ones, and its clip has their aspect ratio")
    func squarePixels() async throws {
        try await withScratch { scratch in
            let film = scratch.appending(path: "film.mov").path
            try Reader.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x120:r=30:d=20", "-vf", "setsar=16/9",
                    "-c:v",
                    "mjpeg", "-pix_fmt", "yuvj420p", film,
                ])
            let (_, still) = try await record(
                #"device: "file:\#(film)""#, live: .milliseconds(400), in: scratch)
            let files = try still.get()
            let size = try lines(
                "exiftool", ["-s3", "-ImageSize", "-ExifImageWidth", "-ExifImageHeight", files.still])
            #expect(size == ["284x120", "284", "120"])
            let shape = try lines(
                "ffprobe",
                [
                    "-v", "error", "-select_streams", "v", "-show_entries",
                    "stream=width,height,sample_aspect_ratio",
                    "-of", "csv=p=0", try #require(files.clip),
                ])
            #expect(shape == ["160,120,16:9"])
        }
    }

    @Test("raw frames are encoded once and also used for a clip")
    func raw() async throws {
        try await withScratch { scratch in
            let camera = #"device: "virtual:bars?size=320x180&format=yuyv", format: yuyv"#
            let file = scratch.appending(path: "raw.yaml")
            try "cameras: { desk: { \(camera) } }\ntracks: { cameras: encode }".write(
                to: file, atomically: true, encoding: .utf8)
            let setup = try SessionSetup(SessionConfiguration(profile: file.path))
            let snapshot = try Snapshot(setup, settling: .zero)
            let still = try #require(try snapshot.take().first)
            let files = try snapshot.write(still, into: StillFolder(path: scratch.path, version: "0.0.0"))
            #expect(
                try lines("exiftool", ["-s3", "-n", "-YCbCrSubSampling", "-ImageWidth", files.still])
                    == ["2 1", "320"])
            let again = try Snapshot(
                try SessionSetup(SessionConfiguration(profile: file.path)), live: .milliseconds(600),
                settling: .zero)
            let live = try again.write(
                try #require(try again.take().first), into: StillFolder(path: scratch.path, version: "0.0.0"))
            let clip = try #require(live.clip)
            let stream = try #require(try Reader.streams(clip).first)
            #expect((4...20).contains(stream.frameCount ?? 0))
        }
    }

    @Test(
        "a clip has audio that matches its frames, for JPEG, H.264, and raw frames",
        arguments: [
            (#"device: "virtual:clap?size=320x180""#, "copy", "mjpeg"),
            (#"device: "virtual:clap?size=320x180&format=h264", format: h264"#, "copy", "h264"),
            (#"device: "virtual:clap?size=320x180&format=nv12", format: nv12"#, "encode", "mjpeg"),
        ])
    func sound(_ camera: String, _ tracks: String, _ codec: String) async throws {
        try await withScratch { scratch in
            // The clip is longer than a second, so that it contains a clap.
            let (_, still) = try await record(
                camera, live: .milliseconds(1600), tracks: tracks, microphone: "virtual:clap", in: scratch)
            let files = try still.get()
            let clip = try #require(files.clip)
            #expect(
                try lines(
                    "ffprobe",
                    ["-v", "error", "-show_entries", "stream=codec_name,start_time", "-of", "csv=p=0", clip])
                    == ["\(codec),0.000000", "aac,0.000000"])
            // Decoding causes no errors, and frames before the clip are hidden.
            _ = try Reader.run("ffmpeg", ["-v", "error", "-xerror", "-i", clip, "-f", "null", "-"])
            let size = FrameSize(width: 320, height: 180)
            let light = try Reader.brightness(
                clip, size: size, part: PixelRectangle(x: 0, y: 0, width: 320, height: 180))
            #expect((20...55).contains(light.count))
            let times = try Reader.times(clip)
            let audio = try Reader.audio(clip)
            let white = try #require(light.firstIndex { $0 > 200 }, "no frame shows a clap")
            let seen = times[white]
            let claps = Reader.onsets(audio).map { Double($0) / 48_000 - seen }
            // The clap is within the white frame's exposure of 33 ms.
            #expect(claps.contains { (-0.01...0.045).contains($0) }, "\(claps)")
            #expect(abs(Double(audio.count) / 48_000 - (times.last ?? 0)) < 0.1)
        }
    }

    private func lines(_ program: String, _ arguments: [String]) throws -> [Substring] {
        String(decoding: try Reader.run(program, arguments), as: UTF8.self).split(separator: "\n")
    }

    /// Returns the data of a JPEG file from its scan on.
    private func scan(of path: String) throws -> Data {
        scan(of: try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func scan(of jpeg: Data) -> Data {
        jpeg.firstRange(of: Data([0xFF, 0xDA])).map { jpeg[$0.lowerBound...] }.map { Data($0) } ?? Data()
    }

    /// Returns the scans of a clip's packets, extracted by ffmpeg.
    private func frames(of clip: String, in scratch: URL) throws -> [Data] {
        let folder = scratch.appending(path: "pictures")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        _ = try Reader.run("ffmpeg", ["-v", "error", "-i", clip, "-c", "copy", folder.path + "/%d.jpg"])
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
            scan(of: try Data(contentsOf: $0))
        }
    }
}
