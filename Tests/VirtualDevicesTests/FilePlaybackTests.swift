import Foundation
import MulticamMedia
import Testing

@testable import MulticamVirtualDevices

/// Tests media files that were created by other programs and cameras.
@Suite("Real media files as devices")
struct FilePlaybackTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let frames = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=1"]
    private static let tone = ["-f", "lavfi", "-i", "aevalsrc='0.5:s=48000:d=1'"]

    private func make(_ name: String, _ arguments: [String]) throws -> String {
        try scratch.ffmpeg(arguments + [scratch.path(name)])
        return scratch.path(name)
    }

    private func camera(_ path: String) throws -> any CameraSource {
        try VirtualSources.camera(selector: "file:\(path)", role: "desk")
    }

    // MARK: Time

    @Test(
        "a file's offset between its streams is preserved", arguments: ["audio", "video"])
    func offset(later: String) throws {
        let delay = ["-itsoffset", "0.5"]
        let path = try make(
            "offset.mov",
            (later == "video" ? delay : []) + Self.frames + (later == "audio" ? delay : []) + Self.tone
                + ["-fps_mode", "passthrough", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-c:a", "pcm_s16le"])
        let start = DeviceRun<CameraEvent>.start
        let seen = try DeviceRun<CameraEvent>("file:\(path)", seconds: 3)
        let change = try #require(seen.frames.first { $0.data != seen.frames[0].data })
        let expected = Nanoseconds.milliseconds(later == "video" ? 540 : 40)
        #expect((change.capturedAt - start - expected).magnitude <= .milliseconds(20), "half a frame")
        // The camera ends with the file, rounded to whole frames of 40 ms.
        let end = try #require(seen.eventLog.last?.split(separator: " ").first.flatMap { Int64($0) })
        #expect(
            seen.eventLog.last?.hasSuffix("end of file") == true && abs(end - 1_500_000_000) <= 40_000_000)
        let heard = try DeviceRun<MicrophoneEvent>("file:\(path)", seconds: 3)
        let samples = heard.audioBlocks.flatMap(\.samples)
        let first = try #require(samples.firstIndex { $0 > 0.4 })
        // A tolerance of 5 samples is 0.1 ms.
        #expect(abs(first - (later == "audio" ? 24_000 : 0)) <= 5)
        // The microphone is silent without audio in the file, and ends with the longer stream.
        #expect(abs(samples.count - 72_000) <= 1920, "a frame of the video")
    }

    @Test(
        "a timestamp jump does not end a file: camera and microphone continue without a gap and report it",
        arguments: [0, 7200])
    func jump(second: Int) throws {
        for (name, offset) in [("a.ts", 3600), ("b.ts", second)] {
            _ = try make(
                name,
                Self.frames + Self.tone + [
                    "-c:v", "mpeg2video", "-c:a", "mp2", "-output_ts_offset", "\(offset)",
                ])
        }
        let path = scratch.path("jump.ts")
        let both = try ["a.ts", "b.ts"].map { try Data(contentsOf: URL(filePath: scratch.path($0))) }
        try both.reduce(Data(), +).write(to: URL(filePath: path))
        let seen = try DeviceRun<CameraEvent>("file:\(path)", seconds: 4)
        let start = DeviceRun<CameraEvent>.start
        #expect(Set(seen.frames.map(\.data)).count >= 25)
        #expect((50...54).contains(seen.frames.count))
        let steps = zip(seen.frames.dropFirst(), seen.frames).map { $0.capturedAt - $1.capturedAt }
        #expect(
            steps.allSatisfy { (Nanoseconds.milliseconds(15)...Nanoseconds.milliseconds(65)).contains($0) })
        let told = seen.eventLog.filter { $0.contains("remarked") }
        // MPEG-TS timestamps have 33 bits: libavformat reads a jump back by an hour as a jump forward by a
        // day minus an hour.
        #expect(told.count == 1 && told[0].contains("jump "), "\(told)")
        let heard = try DeviceRun<MicrophoneEvent>("file:\(path)", seconds: 4)
        let loud = heard.audioBlocks.flatMap(\.samples).count { $0 > 0.4 }
        #expect((94_000...97_500).contains(loud))
        #expect(
            heard.arrivals.contains {
                if case .notice(_, let text) = $0.event { text.contains("jump") } else { false }
            })
        let end = try #require(heard.arrivals.last)
        #expect((end.at - start - .seconds(2)).magnitude < .milliseconds(150))
    }

    @Test(
        "a long forward jump of all timestamps does not cause a gap in other formats either",
        arguments: [
            (name: "jump.mkv", codecs: ["-c:v", "libx264", "-bf", "0", "-c:a", "pcm_s16le"]),
            (name: "jump.mp4", codecs: ["-c:v", "libx264", "-bf", "0", "-c:a", "aac"]),
            (name: "reordered.mp4", codecs: ["-c:v", "libx264", "-bf", "2", "-c:a", "aac"]),
            (name: "jump.mov", codecs: ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-c:a", "aac"]),
        ] as [(name: String, codecs: [String])])
    func longJump(name: String, codecs: [String]) throws {
        let path = try make(
            name,
            [
                "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=2", "-f", "lavfi", "-i",
                "aevalsrc='0.5:s=48000:d=2'",
                "-vf", "setpts='PTS+gte(T,1)*3600/TB'", "-af", "asetpts='PTS+gte(T,1)*3600/TB'", "-fps_mode",
                "passthrough",
            ] + codecs)
        let start = DeviceRun<CameraEvent>.start
        let seen = try DeviceRun<CameraEvent>("file:\(path)", seconds: 4)
        #expect(Set(seen.frames.map(\.data)).count >= 47)
        #expect((48...53).contains(seen.frames.count), "\(seen.frames.count)")
        let told = seen.eventLog.filter { $0.contains("remarked") }
        #expect(told.count == 1 && told[0].contains("jump forward by"), "\(told)")
        #expect(
            seen.eventLog.last?.hasSuffix("end of file") == true
                && !seen.eventLog.contains { $0.contains("lost") })
        let heard = try DeviceRun<MicrophoneEvent>("file:\(path)", seconds: 4)
        // AAC does not keep the level constant at the end.
        let loud = heard.audioBlocks.flatMap(\.samples).count { $0 > 0.25 }
        #expect((93_000...97_500).contains(loud), "\(loud)")
        let end = try #require(heard.arrivals.last)
        #expect((end.at - start - .seconds(2)).magnitude < .milliseconds(150))
    }

    @Test("frames stored in decoding order do not count as a timestamp jump")
    func reordered() throws {
        let path = try make(
            "reordered.mkv",
            [
                "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=2", "-c:v", "libx264", "-bf", "3",
                "-x264-params",
                "b-adapt=0", "-pix_fmt", "yuv420p",
            ])
        let run = try DeviceRun<CameraEvent>("file:\(path)", seconds: 3)
        #expect(run.frames.count == 20 && Set(run.frames.map(\.data)).count == 20)
        #expect(!run.eventLog.contains { $0.contains("remarked") }, "\(run.eventLog)")
    }

    @Test("in a gap of a file's video, the last frame is repeated as in a player, and nothing is lost")
    func hole() throws {
        let path = try make(
            "hole.mkv",
            Self.frames + [
                "-vf", "select='lt(n,5)+gt(n,19)'", "-fps_mode", "passthrough", "-c:v", "mjpeg", "-pix_fmt",
                "yuvj420p",
            ])
        let run = try DeviceRun<CameraEvent>("file:\(path)", seconds: 2)
        #expect(run.frames.count == 25 && Set(run.frames.map(\.data)).count == 10)
        #expect(
            run.frames.enumerated().allSatisfy { index, frame in
                (frame.capturedAt - DeviceRun<CameraEvent>.start - .milliseconds(Int64(index) * 40)).magnitude
                    <= .milliseconds(1)
            })
        #expect(!run.eventLog.contains { $0.contains("lost") })
    }

    @Test("a file with a very low rate is played at one frame per second")
    func slow() throws {
        let path = try make(
            "slow.mov",
            ["-f", "lavfi", "-i", "testsrc=s=64x48:r=1/3:d=9", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"])
        let camera = try camera(path)
        #expect(camera.format.rate == FrameRate(1, per: 1))
        let run = try DeviceRun<CameraEvent>(camera, seconds: 12)
        #expect(run.frames.count == 9 && Set(run.frames.map(\.data)).count == 3)
    }

    @Test("a gap in a file's audio is silence, not a loss")
    func silence() throws {
        let path = try make(
            "silence.mka",
            Self.tone + ["-af", "aselect='lt(t,0.3)+gt(t,0.7)'", "-c:a", "pcm_s16le"])
        let run = try DeviceRun<MicrophoneEvent>("file:\(path)", seconds: 2)
        let samples = run.audioBlocks.flatMap(\.samples)
        #expect(abs(samples.count - 48_000) <= 1024)
        #expect(samples[20_000..<30_000].allSatisfy { $0 == 0 })
        #expect(
            !run.arrivals.contains { if case .lost = $0.event { true } else { false } })
    }

    @Test("timestamps rounded to milliseconds do not cause gaps or overlaps in audio")
    func rounded() throws {
        let path = try make(
            "rounded.mkv",
            ["-f", "lavfi", "-i", "sine=f=440:r=44100:d=1", "-c:a", "pcm_s16le"])
        let run = try DeviceRun<MicrophoneEvent>("file:\(path)", seconds: 2)
        #expect(run.audioBlocks.reduce(0) { $0 + $1.frameCount } == 44_100)
        let ends = zip(run.audioBlocks.dropFirst(), run.audioBlocks).map { next, one in
            next.firstSample - one.firstSample - Int64(one.frameCount)
        }
        #expect(ends.allSatisfy { $0 == 0 })
    }

    // MARK: Rate

    @Test("a raw stream that states an impossible rate has FFmpeg's default rate")
    func rawRate() throws {
        let path = try make(
            "raw.h264",
            Self.frames + [
                "-vf", "settb=1/1000", "-fps_mode", "vfr", "-enc_time_base", "1:1000", "-c:v", "libx264",
                "-pix_fmt", "yuv420p",
            ])
        #expect(try camera(path).format.rate == FrameRate(25, per: 1))
    }

    @Test("the rate of a file is computed from its timestamps", arguments: ["flv", "ts", "mkv"])
    func stampedRate(container: String) throws {
        let path = try make(
            "rate.\(container)",
            [
                "-f", "lavfi", "-i", "testsrc=s=64x48:r=30:d=2", "-c:v", "libx264", "-bf", "3", "-pix_fmt",
                "yuv420p",
            ])
        #expect(try camera(path).format.rate == FrameRate(30, per: 1))
    }

    @Test("the rate of a file with a variable rate is high enough for all frames")
    func varyingRate() throws {
        // Two of three frames are omitted in about half of each second.
        let path = try make(
            "varying.mkv",
            [
                "-f", "lavfi", "-i", "testsrc=s=64x48:r=30:d=4", "-vf",
                "select='lt(mod(t,1),0.4)+not(mod(n,3))'",
                "-fps_mode", "passthrough", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p",
            ])
        let camera = try camera(path)
        #expect(camera.format.rate == FrameRate(30, per: 1))
        let run = try DeviceRun<CameraEvent>(camera, seconds: 5)
        #expect(Set(run.frames.map(\.data)).count == 72, "\(Set(run.frames.map(\.data)).count)")
    }

    // MARK: Picture

    /// Writes a movie with the given display matrix (a, b, c, d as in `tkhd`).
    private func movie(showing matrix: [Int32]) throws -> String {
        // The left half is white, and the right half is black.
        let path = try make(
            "plain.mp4",
            [
                "-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=1", "-vf",
                "drawbox=x=0:y=0:w=32:h=48:color=white:t=fill", "-c:v", "libx264", "-pix_fmt", "yuv420p",
            ])
        func bytes(_ numbers: [Int32]) -> Data {
            let rows = [numbers[0], numbers[1], 0, numbers[2], numbers[3], 0, 0, 0, 0x4000_0000]
            return rows.reduce(into: Data()) { data, number in
                withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
            }
        }
        var file = try Data(contentsOf: URL(filePath: path))
        let header = try #require(file.range(of: Data("tkhd".utf8)))
        let old = try #require(
            file.range(of: bytes([0x1_0000, 0, 0, 0x1_0000]), in: header.upperBound..<file.endIndex))
        file.replaceSubrange(old, with: bytes(matrix))
        let turned = scratch.path("turned.mp4")
        try file.write(to: URL(filePath: turned))
        return turned
    }

    @Test(
        "the rotation in a file is the mounting of its camera, and a mirrored file is shown mirrored",
        arguments: [
            ([0x1_0000, 0, 0, 0x1_0000], .none, false), ([0, 0x1_0000, -0x1_0000, 0], .quarter, false),
            ([-0x1_0000, 0, 0, -0x1_0000], .half, false),
            ([0, -0x1_0000, 0x1_0000, 0], .threeQuarters, false),
            ([-0x1_0000, 0, 0, 0x1_0000], .none, true), ([0, 0x1_0000, 0x1_0000, 0], .threeQuarters, true),
        ] as [([Int32], Rotation, Bool)])
    func rotation(matrix: [Int32], mounting: Rotation, isMirrored: Bool) throws {
        let path = try movie(showing: matrix)
        let camera = try camera(path)
        #expect(camera.device.mounting == mounting)
        let frame = try #require(try DeviceRun<CameraEvent>(camera, seconds: 0.2).frames.first)
        let (left, right) = (
            frame.startOfPlane(0)[10 * frame.planes[0].stride + 4],
            frame.startOfPlane(0)[10 * frame.planes[0].stride + 60]
        )
        #expect(isMirrored ? left < 30 && right > 200 : left > 200 && right < 30)
    }

    @Test(
        "the pixel aspect ratio is read from the file, and omitted if it is 1", arguments: ["64/45", "1"])
    func pixels(shape: String) throws {
        let path = try make(
            "sar.mp4",
            Self.frames + ["-vf", "setsar=\(shape)", "-c:v", "libx264", "-pix_fmt", "yuv420p"])
        #expect(try camera(path).device.pixelAspect?.description == (shape == "1" ? nil : "64:45"))
    }

    @Test(
        "the range stated by Motion JPEG is used",
        arguments: [("tv", ColorDescription.bt601Limited), ("pc", .jpeg)])
    func range(stated: String, color: ColorDescription) throws {
        let path = try make(
            "range.mov",
            Self.frames + [
                "-vf", "scale=out_range=\(stated),format=\(stated == "tv" ? "yuv420p" : "yuvj420p")", "-c:v",
                "mjpeg",
                "-color_range", stated, "-strict", "unofficial",
            ])
        let camera = try camera(path)
        #expect(camera.color == color && camera.format.pixel == .mjpeg)
        let run = try DeviceRun<CameraEvent>(camera, seconds: 0.2)
        #expect(run.frames.allSatisfy { $0.color == color })
    }

    @Test("each Motion JPEG frame has the size in its header")
    func sizes() throws {
        for (name, size) in [("a.mjpeg", "64x48"), ("b.mjpeg", "96x64")] {
            _ = try make(name, ["-f", "lavfi", "-i", "testsrc=s=\(size):r=25:d=0.2", "-pix_fmt", "yuvj420p"])
        }
        let both = try ["a.mjpeg", "b.mjpeg"].map { try Data(contentsOf: URL(filePath: scratch.path($0))) }
        try both.reduce(Data(), +).write(to: URL(filePath: scratch.path("both.mjpeg")))
        let run = try DeviceRun<CameraEvent>("file:\(scratch.path("both.mjpeg"))", seconds: 2)
        #expect(run.frames.first?.size == FrameSize(width: 64, height: 48))
        #expect(run.frames.last?.size == FrameSize(width: 96, height: 64))
    }

    // MARK: What cannot be played

    private func refusal(_ path: String, audio: Bool = false) -> String {
        do throws(VirtualDeviceError) {
            _ =
                audio
                ? try VirtualSources.microphone(selector: "file:\(path)", role: "host").device
                : try VirtualSources.camera(selector: "file:\(path)", role: "desk").device
            return ""
        } catch {
            return error.description
        }
    }

    /// Overwrites the media data of a movie.
    private func spoil(_ path: String) throws {
        var file = try Data(contentsOf: URL(filePath: path))
        let media = try #require(file.range(of: Data("mdat".utf8))).upperBound
        let end =
            file.range(of: Data("moov".utf8)).map { $0.lowerBound - 4 }.flatMap { $0 > media ? $0 : nil }
            ?? file.endIndex
        file.replaceSubrange(media..<end, with: Data(repeating: 0x55, count: end - media))
        try file.write(to: URL(filePath: path))
    }

    @Test("video or audio that can't be decoded at all is rejected with that reason")
    func undecodable() throws {
        let video = try make("video.mp4", Self.frames + ["-c:v", "libx264", "-pix_fmt", "yuv420p"])
        try spoil(video)
        #expect(refusal(video).contains("no frame of the file's h264 video can be decoded"))
        let audio = try make("audio.m4a", Self.tone + ["-c:a", "alac"])
        try spoil(audio)
        #expect(refusal(audio, audio: true).contains("no sample of the file's alac audio can be decoded"))
    }

    @Test("audio that FFmpeg can't read at all is rejected with that reason")
    func unread() throws {
        let path = try make("unread.flac", Self.tone + ["-c:a", "flac"])
        var file = try Data(contentsOf: URL(filePath: path))
        // Removes all sync codes after the header (RFC 9639, 8): frames begin with 0xFFF8.
        let first = try #require(file.range(of: Data([0xFF, 0xF8])))
        file.replaceSubrange(
            first.lowerBound..., with: Data(repeating: 0, count: file.count - first.lowerBound))
        try file.write(to: URL(filePath: path))
        let refusal = refusal(path, audio: true)
        #expect(
            refusal.contains("the file declares 1 s of flac, but the installed FFmpeg can't read it"),
            "\(refusal)")
    }

    @Test("a file without samples and a file with tiny frames are rejected with that reason")
    func empty() throws {
        let path = try make("empty.wav", Self.tone + ["-t", "0.01"])
        let header = try Data(contentsOf: URL(filePath: path))
        let data = try #require(header.range(of: Data("data".utf8))).upperBound
        try (header[..<data] + Data(repeating: 0, count: 4)).write(to: URL(filePath: path))
        #expect(refusal(path, audio: true).contains("does not contain samples"))
        let small = try make(
            "small.mkv",
            [
                "-f", "lavfi", "-i", "color=red:s=64x64:r=25:d=1", "-vf", "scale=1:1", "-pix_fmt", "yuv444p",
                "-c:v", "ffv1",
            ])
        #expect(refusal(small).contains("the frame size is 1x1;"))
    }

    @Test("audio in the middle of a file that can't be decoded is reported as lost")
    func damaged() throws {
        let path = try make(
            "damaged.mov",
            ["-f", "lavfi", "-i", "anoisesrc=d=2:r=48000:a=0.5:seed=1", "-c:a", "alac"])
        var file = try Data(contentsOf: URL(filePath: path))
        let middle = file.count / 2
        file.replaceSubrange(middle..<middle + 20_000, with: Data(repeating: 0xFF, count: 20_000))
        try file.write(to: URL(filePath: path))
        let run = try DeviceRun<MicrophoneEvent>("file:\(path)", seconds: 3)
        let lost = run.arrivals.reduce(into: Int64(0)) { sum, arrival in
            if case .lost(let count, .corrupt, _) = arrival.event { sum += count }
        }
        let delivered = Int64(run.audioBlocks.reduce(0) { $0 + $1.frameCount })
        #expect(lost > 0 && delivered + lost == 96_000)
    }
}
