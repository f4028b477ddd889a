import MulticamEncoding
import MulticamMedia
import Testing

@Suite("Composed frame encoder")
struct ComposedVideoEncoderTests {
    private func makeEncoder(
        _ width: Int = 64, _ height: Int = 48, rate: FrameRate = FrameRate(30),
        preset: VideoEncodingSettings.Preset = .superfast, quality: Int = 23,
        color: ColorDescription? = .bt709Limited
    ) throws -> any VideoEncoding {
        try Codecs().makeVideoEncoder(
            VideoEncodingSettings(
                size: FrameSize(width: width, height: height), rate: rate, preset: preset, quality: quality,
                color: color), name: "program")
    }

    /// Returns an elementary stream as stored in a file, with the parameter sets first.
    private func stream(_ encoder: any VideoEncoding, _ packets: [EncodedPacket]) -> [UInt8] {
        packets.reduce(into: encoder.parameters.setup) { $0.append(contentsOf: $1.bytes.array) }
    }

    private func frames(_ stream: [UInt8], _ width: Int, _ height: Int) throws -> [Canvas] {
        let bench = try Workbench()
        let path = try bench.write(stream, "stream.h264")
        let raw = try bench.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "h264", "-i", path, "-vf", "format=yuv420p|yuvj420p", "-fps_mode",
                "passthrough", "-f", "rawvideo", "-",
            ])
        let size = width * height * 3 / 2
        #expect(raw.count % size == 0)
        return (0..<raw.count / size).map { Canvas(width, height, raw[$0 * size..<($0 + 1) * size]) }
    }

    @Test("75 % bars of a JPEG are encoded as BT.709 within 3 levels, in the main frame and in an inset")
    func bars() throws {
        let frame = try TestFrames.jpeg(448, 256, quality: 90) { x, _ in
            TestFrames.codes(TestFrames.bars[x / 64], .jpeg)
        }
        let encoder = try makeEncoder(448, 256)
        var packets = try encoder.encode(
            [FrameLayer(frame, at: 0, 0, 448, 256), FrameLayer(frame, at: 112, 180, 112, 64)], tick: 0
        ).packets
        packets += try encoder.finish()
        let frames = try frames(stream(encoder, packets), 448, 256)
        try #require(frames.count == 1)
        for (index, bar) in TestFrames.bars.enumerated() {
            let wanted = TestFrames.codes(bar, .bt709Limited)
            #expect(distance(frames[0][index * 64 + 32, 60], wanted) <= 3, "bar \(index)")
            #expect(distance(frames[0][112 + index * 16 + 8, 212], wanted) <= 3, "inset, bar \(index)")
        }
    }

    @Test(
        "the stream's color tags match its pixels",
        arguments: [
            (.bt709Limited, "tv", "bt709"), (nil, "pc", "smpte170m"), (.bt601Limited, "tv", "smpte170m"),
        ] as [(ColorDescription?, String, String)])
    func tags(color: ColorDescription?, range: String, matrix: String) throws {
        let encoder = try makeEncoder(color: color)
        let frame = try TestFrames.plain(64, 48, [250, 100, 160])
        let packets =
            try encoder.encode([FrameLayer(frame, at: 0, 0, 64, 48)], tick: 0).packets + encoder.finish()
        let bench = try Workbench()
        let path = try bench.write(stream(encoder, packets), "stream.h264")
        let report = try bench.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries",
                "stream=pix_fmt,color_range,color_space,color_primaries,color_transfer", "-of",
                "default=nk=1:nw=1", path,
            ])
        let lines = String(decoding: report, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines == [range == "pc" ? "yuvj420p" : "yuv420p", range, matrix, matrix, matrix])
        #expect(encoder.parameters.color == (color ?? .jpeg))
        let frames = try frames(stream(encoder, packets), 64, 48)
        if color == nil { #expect(distance(frames[0][32, 24], [250, 100, 160]) <= 2) }
    }

    @Test("without a configured color, the stream uses the first frame's color")
    func ownColor() throws {
        let encoder = try makeEncoder(color: nil)
        let before = encoder.parameters.setup
        let frame = TestFrames.raw(.yuyv, 64, 48, color: .bt601Limited) { _, _ in [100, 90, 80] }
        let packets =
            try encoder.encode([FrameLayer(frame, at: 0, 0, 64, 48)], tick: 0).packets + encoder.finish()
        #expect(encoder.parameters.color == .bt601Limited && encoder.parameters.setup != before)
        #expect(distance(try frames(stream(encoder, packets), 64, 48)[0][32, 24], [100, 90, 80]) <= 2)
    }

    @Test(
        "every tick has its exact time, in decoding order, with every preset",
        arguments: VideoEncodingSettings.Preset.allCases,
        [FrameRate(30), FrameRate(30000, per: 1001), FrameRate(15, per: 2)])
    func times(preset: VideoEncodingSettings.Preset, rate: FrameRate) throws {
        let encoder = try makeEncoder(rate: rate, preset: preset)
        var packets: [EncodedPacket] = []
        for tick in 0..<40 {
            let frame = try TestFrames.jpeg(64, 48) { x, y in
                [(x * 3 + y + Int(tick) * 5) % 250, 128, 128]
            }
            packets += try encoder.encode([FrameLayer(frame, at: 0, 0, 64, 48)], tick: Int64(tick))
                .packets
        }
        packets += try encoder.finish()
        #expect(encoder.parameters.timeScale == rate.frames)
        #expect(packets.map(\.presentation).sorted() == (0..<40).map { $0 * rate.seconds })
        #expect(packets.allSatisfy { $0.duration == rate.seconds && $0.decode <= $0.presentation })
        let decoding = packets.map(\.decode)
        #expect(zip(decoding, decoding.dropFirst()).allSatisfy { $0 < $1 })
        #expect(packets[0].isKey)
        let keys = packets.filter(\.isKey).map { $0.presentation / rate.seconds }
        #expect(zip(keys, keys.dropFirst() + [40]).allSatisfy { Double($1 - $0) <= 2 * rate.perSecond })
        let isReordered = packets.map(\.presentation) != packets.map(\.presentation).sorted()
        #expect(isReordered == (preset == .superfast || preset == .veryfast))
    }

    @Test("a repeat shows the last frame again, and an unchanged frame isn't composed again")
    func repeats() throws {
        let encoder = try makeEncoder()
        let frame = try TestFrames.plain(64, 48, [200, 128, 128])
        let layers = [FrameLayer(frame, at: 0, 0, 64, 48)]
        var packets = try encoder.encode(layers, tick: 0).packets
        packets += try encoder.repeatLast(tick: 1).packets
        packets += try encoder.encode(layers, tick: 2).packets
        packets += try encoder.encode([FrameLayer(nil, at: 0, 0, 64, 48)], tick: 3).packets
        packets += try encoder.finish()
        let lumas = try frames(stream(encoder, packets), 64, 48).map { $0.luma(32, 6) }
        // The full-range codes 200 and 128 are converted to limited range.
        #expect(zip(lumas, [188, 188, 188, 126]).allSatisfy { abs($0 - $1) <= 3 } && lumas.count == 4)
    }

    @Test("a repeat before any frame is black")
    func nothingYet() throws {
        let encoder = try makeEncoder()
        let packets = try encoder.repeatLast(tick: 0).packets + encoder.finish()
        #expect(distance(try frames(stream(encoder, packets), 64, 48)[0][30, 20], [16, 128, 128]) <= 1)
    }

    @Test(
        "a requested key frame is encoded, even as a repeat, and a file can start with it",
        arguments: [true, false])
    func keyFrames(isRepeat: Bool) throws {
        let encoder = try makeEncoder()
        let frame = try TestFrames.plain(64, 48, [200, 128, 128])
        let layers = [FrameLayer(frame, at: 0, 0, 64, 48)]
        var packets = try encoder.encode(layers, tick: 0).packets
        for tick in 1..<20 {
            if tick == 11 { encoder.requestKeyFrame() }
            packets += try
                (isRepeat ? encoder.repeatLast(tick: Int64(tick)) : encoder.encode(layers, tick: Int64(tick)))
                .packets
        }
        packets += try encoder.finish()
        #expect(packets.filter(\.isKey).map(\.presentation) == [0, 11])
        let second = packets.drop { $0.presentation != 11 }
        #expect(try frames(stream(encoder, Array(second)), 64, 48).count == 9)
    }

    @Test("a damaged layer is reported by its index, and encoding continues")
    func damaged() throws {
        let encoder = try makeEncoder()
        let good = try TestFrames.plain(64, 48, [200, 128, 128])
        let layers = { (inset: CapturedFrame) in
            [FrameLayer(good, at: 0, 0, 64, 48), FrameLayer(inset, at: 32, 24, 16, 12)]
        }
        #expect(try encoder.encode(layers(good), tick: 0).damagedLayers == [])
        let broken = TestFrames.truncated(good)
        #expect(try encoder.encode(layers(broken), tick: 1).damagedLayers == [1])
        #expect(try encoder.encode(layers(broken), tick: 2).damagedLayers == [1])
        #expect(try encoder.encode(layers(good), tick: 3).damagedLayers == [])
    }

    @Test("packets keep their bytes after the encoder is deallocated")
    func ownership() throws {
        var made: (any VideoEncoding)? = try makeEncoder()
        let packets = try made?.repeatLast(tick: 0).packets ?? []
        let last = try made?.finish() ?? []
        let before = (packets + last).map { $0.bytes.array }
        made = nil
        #expect(before.count == 1 && (packets + last).map { $0.bytes.array } == before)
    }

    @Test("an odd size and a layer outside the frame are rejected with the track's name")
    func refused() throws {
        let error = #expect(throws: EncodingError.self) { try makeEncoder(63, 48) }
        #expect(
            error?.description.contains("program") == true && error?.description.contains("63x48") == true)
        let encoder = try makeEncoder()
        for layer in [
            FrameLayer(nil, at: 0, 0, 66, 48), FrameLayer(nil, at: 1, 0, 32, 24),
            FrameLayer(nil, at: -2, 0, 32, 24),
        ] {
            #expect(throws: EncodingError.self) { try encoder.encode([layer], tick: 0) }
        }
    }
}
