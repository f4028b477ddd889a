import MulticamEncoding
import MulticamMedia
import Testing

@Suite("JPEG")
struct JPEGTests {
    private let codecs = Codecs()
    private let size = FrameSize(width: 64, height: 48)

    private func frame(_ chroma: ChromaSampling = .c422) throws -> CapturedFrame {
        try TestFrames.jpeg(64, 48, chroma: chroma) { x, y in [x * 3, 100 + y, 150] }
    }

    private func bytesOfFrame() throws -> [UInt8] {
        let frame = try frame()
        return frame.memory.array
    }

    @Test("a JPEG is complete at its full length or without its end marker, and at no other length")
    func truncations() throws {
        let bytes = try bytesOfFrame()
        #expect(codecs.isWholeJPEG(SharedBytes(bytes), size: size))
        let takenForWhole = (0..<bytes.count).filter {
            codecs.isWholeJPEG(SharedBytes(bytes.prefix($0)), size: size)
        }
        #expect(takenForWhole == [bytes.count - 2, bytes.count - 1])
        let wanted = try codecs.convert(try frame(), to: .i420).memory.array
        let endless = TestFrames.jpeg(SharedBytes(bytes.dropLast(2)), 64, 48)
        #expect(try codecs.convert(endless, to: .i420).memory.array == wanted)
    }

    @Test("a JPEG of BGRX pixels has the right colors, and rows may be padded")
    func screen() throws {
        let stride = 64 * 4 + 32
        var pixels = [UInt8](repeating: 0, count: stride * 48)
        for row in 0..<48 {
            for column in 0..<64 {
                // The image is blue on the left and red on the right. The fourth byte is unused.
                let color: [UInt8] = column < 32 ? [255, 0, 0, 77] : [0, 0, 255, 77]
                pixels.replaceSubrange(
                    (row * stride + column * 4)..<(row * stride + column * 4 + 4), with: color)
            }
        }
        let jpeg = try JPEGEncoder(quality: 95).encode(bgrx: pixels, stride: stride, size: size)
        #expect(codecs.isWholeJPEG(jpeg, size: size))
        let planes = try codecs.convert(TestFrames.jpeg(jpeg, 64, 48), to: .i420).memory.array
        func near(_ place: Int, _ value: Int) -> Bool { abs(Int(planes[place]) - value) <= 3 }
        // Conversion to I420 keeps the JPEG's JFIF Y, Cb and Cr.
        #expect(near(24 * 64 + 8, 29) && near(24 * 64 + 56, 76))
        #expect(near(64 * 48 + 12 * 32 + 4, 255) && near(64 * 48 + 12 * 32 + 28, 85))
        #expect(near(64 * 48 * 5 / 4 + 12 * 32 + 4, 107) && near(64 * 48 * 5 / 4 + 12 * 32 + 28, 255))
    }

    @Test("a JPEG with padding after its end, as from cameras, is complete", arguments: [1, 3, 4096])
    func padding(count: Int) throws {
        let bytes = try bytesOfFrame()
        #expect(codecs.isWholeJPEG(SharedBytes(bytes + [UInt8](repeating: 0, count: count)), size: size))
        #expect(codecs.isWholeJPEG(SharedBytes(bytes + [UInt8](repeating: 0xA5, count: count)), size: size))
    }

    @Test("a JPEG with a different size, an oversized segment, or a scan without a frame isn't complete")
    func headers() throws {
        let bytes = try bytesOfFrame()
        #expect(!codecs.isWholeJPEG(SharedBytes(bytes), size: FrameSize(width: 48, height: 64)))
        var tooLong = bytes
        tooLong[4] = 0xFF
        #expect(!codecs.isWholeJPEG(SharedBytes(tooLong), size: size))
        #expect(!codecs.isWholeJPEG(SharedBytes([0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0xFF, 0xD9]), size: size))
        #expect(!codecs.isWholeJPEG(SharedBytes([0xFF, 0xD8, 0xFF, 0xD9]), size: size))
    }

    @Test("a JPEG without Huffman tables is complete and is decoded with the standard tables")
    func noTables() throws {
        let original = try frame()
        let bytes = withoutHuffmanTables(original.memory.array)
        #expect(bytes.count < original.memory.count - 100)
        #expect(codecs.isWholeJPEG(SharedBytes(bytes), size: size))
        let stripped = TestFrames.jpeg(SharedBytes(bytes), 64, 48)
        let wanted = try codecs.convert(original, to: .i420)
        let decoded = try codecs.convert(stripped, to: .i420)
        #expect(decoded.memory.array == wanted.memory.array)
    }

    @Test("a JPEG with padding can be decoded, one with half of its scan can't")
    func decoding() throws {
        let whole = try frame()
        let padded = SharedBytes(whole.memory.array + [0, 0, 0, 0])
        let wanted = try codecs.convert(whole, to: .i420)
        let decoded = try codecs.convert(TestFrames.jpeg(padded, 64, 48), to: .i420)
        #expect(decoded.memory.array == wanted.memory.array)
        // Extra bytes before the end also count as padding. They can be a few bytes of any value, or many
        // bytes of the same value.
        let endless = [UInt8](whole.memory.array.dropLast(2))
        let left: [[UInt8]] = [[0x11, 0x22, 0x33], [UInt8](repeating: 0, count: 700), [0xFF, 0xFF]]
        for padding in left {
            let stuffed = endless + padding + [0xFF, 0xD9]
            let harmless = try codecs.convert(TestFrames.jpeg(SharedBytes(stuffed), 64, 48), to: .i420)
            #expect(harmless.memory.array == wanted.memory.array)
        }
        // The data contains forty bytes of unused data, as left by a decoder that lost synchronization.
        let rest = endless + (1...40).map { UInt8($0 * 5) } + [0xFF, 0xD9]
        #expect(throws: EncodingError.self) {
            try codecs.convert(TestFrames.jpeg(SharedBytes(rest), 64, 48), to: .i420)
        }
        #expect(throws: EncodingError.self) { try codecs.convert(TestFrames.truncated(whole), to: .i420) }
    }

    @Test(
        "a slate has the size, chroma subsampling and coding of the camera's frames",
        arguments: [ChromaSampling.c420, .c422, .c444])
    func slates(chroma: ChromaSampling) throws {
        let camera = try frame(chroma)
        let slate = try codecs.makeSlate(
            like: camera, caption: SlateCaption(role: "desk", device: "Studio Webcam"))
        #expect(codecs.isWholeJPEG(slate, size: size))
        #expect(frameHeader(slate.array) == frameHeader(camera.memory.array))
        let decoded = try codecs.convert(TestFrames.jpeg(slate, 64, 48), to: .i420)
        let canvas = Canvas(64, 48, decoded.memory.array)
        #expect(distance(canvas[32, 8], [128, 128, 128]) <= 6)
        #expect(distance(canvas[0, 24], [89, 128, 128]) <= 12)
    }

    @Test("a slate can't be made for a frame that isn't a JPEG")
    func noSlate() throws {
        #expect(throws: EncodingError.self) {
            try codecs.makeSlate(
                like: TestFrames.raw(.yuyv, 64, 48) { _, _ in [0, 0, 0] },
                caption: SlateCaption(role: "desk", device: ""))
        }
    }

    /// Returns the baseline frame header: precision, size, and components with their sampling factors.
    private func frameHeader(_ bytes: [UInt8]) -> [UInt8] {
        segments(bytes).first { bytes[$0.lowerBound + 1] == 0xC0 }.map { Array(bytes[$0]) } ?? []
    }

    private func withoutHuffmanTables(_ bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        for segment in segments(bytes).reversed() where bytes[segment.lowerBound + 1] == 0xC4 {
            result.removeSubrange(segment)
        }
        return result
    }

    private func segments(_ bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var position = 2
        while bytes[position + 1] != 0xDA {
            let length = 2 + Int(bytes[position + 2]) << 8 + Int(bytes[position + 3])
            found.append(position..<position + length)
            position += length
        }
        return found
    }
}
