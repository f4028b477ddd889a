import Foundation
import MulticamEncoding
import MulticamMedia
import Testing

@Suite("Media files as cameras")
struct MediaFileReaderTests {
    private func make(_ bench: Workbench, _ name: String, _ arguments: [String]) throws -> String {
        _ = try bench.run("ffmpeg", ["-v", "error", "-y"] + arguments + [bench.path(name)])
        return bench.path(name)
    }

    private let video = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=1"]

    @Test("JPEGs from a file are unchanged and keep their timestamps")
    func jpegs() throws {
        let bench = try Workbench()
        let path = try make(bench, "a.mov", video + ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p"])
        let reader = try MediaFileReader(path: path, media: .video)
        let size = FrameSize(width: 64, height: 48)
        let facts = try #require(reader.video)
        #expect(facts.codec == "mjpeg" && facts.pixel == .mjpeg && facts.size == size)
        #expect(facts.rate == FrameRate(25) && facts.color == .jpeg)
        #expect(reader.duration == .seconds(1) && reader.audio == nil)
        let first = try bench.run(
            "ffmpeg", ["-v", "error", "-i", path, "-c", "copy", "-frames:v", "1", "-f", "mjpeg", "-"])
        var count: Int64 = 0
        while let frame = try reader.nextFrame() {
            #expect(frame.pixel == .mjpeg && frame.sequence == count && frame.isOwned)
            #expect(frame.capturedAt.nanoseconds == count * 40_000_000)
            #expect(Codecs().isWholeJPEG(frame.memory, size: size))
            if count == 0 { #expect(frame.memory.array == first) }
            count += 1
        }
        #expect(count == 25)
        #expect(try reader.nextFrame() == nil)
    }

    @Test(
        "other formats are decoded to I420 with the file's colors",
        arguments: [
            ("a.mp4", ["-c:v", "libx264", "-pix_fmt", "yuv420p"], "h264"),
            ("a.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv422p"], "ffv1"),
            ("b.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"], "ffv1"),
        ])
    func decoded(name: String, arguments: [String], codec: String) throws {
        let bench = try Workbench()
        let red = ["-f", "lavfi", "-i", "color=c=red:size=64x48:rate=10:duration=1"]
        let path = try make(bench, name, red + arguments)
        let reader = try MediaFileReader(path: path, media: .video)
        #expect(
            reader.video?.codec == codec && reader.video?.pixel == .i420
                && reader.video?.rate == FrameRate(10))
        var times: [Int64] = []
        while let frame = try reader.nextFrame() {
            times.append(frame.capturedAt.nanoseconds)
            #expect(frame.color == .bt601Limited)
            let codes = (0..<3).map { frame.code($0, 20, 10) }
            #expect(distance(codes, TestFrames.codes([1, 0, 0], .bt601Limited)) <= 3)
        }
        #expect(times == (0..<10).map { $0 * 100_000_000 })
    }

    @Test("audio is returned as interleaved floats in the file's format", arguments: ["pcm_s16le", "flac"])
    func audio(codec: String) throws {
        let bench = try Workbench()
        let path = try make(
            bench, "a.mka",
            [
                "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2*PI*441*t)|0.25:sample_rate=44100:duration=0.5",
                "-c:a", codec,
            ])
        let reader = try MediaFileReader(path: path, media: .audio)
        #expect(reader.audio == AudioFormat(rate: 44_100, channels: 2) && reader.video == nil)
        var samples: [Float] = []
        while let slice = try reader.nextAudio() {
            // Matroska has a resolution of one millisecond.
            #expect(
                (slice.time - .seconds(rounding: Double(samples.count / 2) / 44_100)).magnitude
                    < .milliseconds(1))
            samples += slice.samples
        }
        #expect(samples.count == 44_100)
        for index in [25, 1025, 20_025] {
            #expect(abs(samples[2 * index] - 0.5) < 1e-3 && abs(samples[2 * index + 1] - 0.25) < 1e-3)
        }
    }

    @Test(
        "frames of a recorded Motion JPEG track have the range stated in the file, and their brightness is based on it",
        arguments: [("tv", ColorDescription.bt601Limited), ("pc", .jpeg)])
    func recordedRange(stated: String, color: ColorDescription) throws {
        let bench = try Workbench()
        let path = try make(
            bench, "range.mov",
            [
                "-f", "lavfi", "-i", "color=black:size=64x48:rate=10:duration=0.3", "-vf",
                "scale=out_range=\(stated),format=\(stated == "tv" ? "yuv420p" : "yuvj420p")", "-c:v",
                "mjpeg",
                "-color_range", stated, "-strict", "unofficial",
            ])
        let reader = try TrackReader(path: path, stream: 0, media: .video, isMeasured: false)
        let frame = try #require(try reader.nextFrame()?.frame)
        #expect(frame.pixel == .mjpeg && frame.color == color)
        let meter = try TrackReader(path: path, stream: 0, media: .video)
        let look = try #require(try meter.nextBrightness())
        #expect(abs(look.brightness) < 0.01, "\(look.brightness)")
    }

    @Test(
        "a still image is converted to I420 with JPEG colors, without distortion",
        arguments: ["a.png", "a.jpg"])
    func stills(name: String) throws {
        let bench = try Workbench()
        let path = try make(
            bench, name,
            [
                "-f", "lavfi", "-i", "color=c=0x00C000:size=96x48", "-frames:v", "1", "-update", "1", "-q:v",
                "2",
            ])
        let canvas = Canvas(
            64, 48, try StillImage.load(path: path, size: FrameSize(width: 64, height: 48)).array)
        #expect(distance(canvas[32, 24], TestFrames.codes([0, 192.0 / 255, 0], .jpeg)) <= 3)
        #expect(canvas[32, 7] == [0, 128, 128] && canvas[32, 40] == [0, 128, 128])
        #expect(distance(canvas[63, 9], TestFrames.codes([0, 192.0 / 255, 0], .jpeg)) <= 3)
    }

    @Test("a still image is rotated according to its Exif orientation", arguments: 1...8)
    func orientation(number: UInt8) throws {
        let bench = try Workbench()
        let plain = try bench.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "color=black:size=96x48", "-vf",
                "drawbox=x=0:y=0:w=48:h=24:color=white:t=fill", "-frames:v", "1", "-pix_fmt", "yuvj420p",
                "-q:v", "2",
                "-f", "mjpeg", "-",
            ])
        let exif: [UInt8] =
            [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM\0*".utf8)
            + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, number, 0, 0, 0, 0, 0, 0]
        let path = try bench.write(Array(plain[..<2]) + exif + Array(plain[2...]), "a.jpg")
        let turned = number >= 5
        let size = FrameSize(width: turned ? 48 : 96, height: turned ? 96 : 48)
        let canvas = Canvas(size.width, size.height, try StillImage.load(path: path, size: size).array)
        func isWhite(_ x: Int, _ y: Int) -> Bool {
            canvas.luma(x * (size.width - 1), y * (size.height - 1)) > 128
        }
        // This is the corner that shows the stored frame's first pixel, according to TIFF 6.0, Orientation.
        let corner = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0), (1, 0), (1, 1), (0, 1)][Int(number) - 1]
        for (x, y) in [(0, 0), (1, 0), (1, 1), (0, 1)] { #expect(isWhite(x, y) == ((x, y) == corner)) }
    }

    @Test("a missing file, or one without the requested media, causes an error with its path")
    func missing() throws {
        let error = #expect(throws: EncodingError.self) {
            _ = try MediaFileReader(path: "/none/a.mov", media: .video)
        }
        #expect(error?.description.contains("/none/a.mov") == true)
        let bench = try Workbench()
        let silent = try make(bench, "a.mov", video + ["-c:v", "mjpeg"])
        #expect(throws: EncodingError.self) { _ = try MediaFileReader(path: silent, media: .audio) }
        let text = try bench.write(Array("no frame".utf8), "a.txt")
        #expect(throws: EncodingError.self) {
            try StillImage.load(path: text, size: FrameSize(width: 64, height: 48))
        }
    }
}
