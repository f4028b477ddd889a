import MulticamMedia
import Testing

@testable import MulticamEncoding

/// Tests JPEGs that ffmpeg encoded in 4:2:2 like webcams, in four slices separated by restart markers.
@Suite("Damaged JPEGs")
struct DamagedJPEGTests {
    private let size = FrameSize(width: 320, height: 180)
    private let good: [UInt8]
    private let next: [UInt8]

    init() throws {
        let bench = try Workbench()
        let frames = try [1, 2].map { number in
            try bench.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i",
                    "testsrc2=size=320x180,noise=alls=8:all_seed=1,format=yuvj422p",
                    "-vf", "select=eq(n\\,\(number))", "-frames:v", "1", "-c:v", "mjpeg", "-huffman",
                    "default",
                    "-q:v", "6", "-threads", "4", "-thread_type", "slice", "-f", "mjpeg", "-",
                ])
        }
        (good, next) = (frames[0], frames[1])
    }

    private func frame(_ bytes: [UInt8]) -> CapturedFrame {
        TestFrames.jpeg(SharedBytes(bytes), size.width, size.height)
    }

    private func layers(_ frame: CapturedFrame) -> [FrameLayer] {
        [FrameLayer(frame, at: 0, 0, 320, 180)]
    }

    /// Offset of the first scan's data.
    private func scanStart(_ bytes: [UInt8]) throws -> Int {
        let marker = try #require(
            bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        return marker + 2 + Int(bytes[marker + 2]) << 8 + Int(bytes[marker + 3])
    }

    private func restartMarkers(_ bytes: [UInt8]) throws -> [Int] {
        (try scanStart(bytes)..<bytes.count - 1).filter {
            bytes[$0] == 0xFF && (0xD0...0xD7).contains(bytes[$0 + 1])
        }
    }

    /// Composes the given frame over the good one.
    ///
    /// - Returns: Whether the frame counted as damaged, and the program's picture.
    private func compose(_ bytes: [UInt8]) -> (isDamaged: Bool, shown: [UInt8]) {
        let canvas = Canvas(size.width, size.height)
        let compositor = Compositor(color: .bt709Limited)
        compositor.compose(layers(frame(good)), onto: canvas.planes)
        compositor.compose(layers(frame(bytes)), onto: canvas.planes)
        return (compositor.damagedLayers == [0], canvas.allBytes)
    }

    /// Returns the program's picture of only this frame.
    private func shown(_ bytes: [UInt8]) -> [UInt8] {
        let canvas = Canvas(size.width, size.height)
        let compositor = Compositor(color: .bt709Limited)
        compositor.compose(layers(frame(bytes)), onto: canvas.planes)
        return canvas.allBytes
    }

    @Test("a JPEG truncated anywhere, with or without an end marker, leaves the last good frame")
    func truncated() throws {
        let before = shown(good)
        let start = try scanStart(next)
        for position in stride(from: start, to: next.count - 8, by: 97) {
            for end in [[], [0xFF, 0xD9]] as [[UInt8]] {
                let cut = next.prefix(position) + end
                #expect(!end.isEmpty || !Codecs().isWholeJPEG(SharedBytes(cut), size: size))
                let (isDamaged, shown) = compose(Array(cut))
                let isLast = shown == before
                #expect(isDamaged && isLast, "\(position)")
            }
        }
    }

    @Test(
        "a JPEG with changed, lost or duplicated bytes shows either its entire picture or the last good frame",
        arguments: ["turned bit", "zeros", "lost", "doubled", "rubbish"])
    func damaged(kind: String) throws {
        let before = shown(good)
        var found = 0
        // The positions cover the whole image, including tables and headers.
        let positions = stride(from: 2, to: next.count - 70, by: 83)
        for position in positions {
            var bytes = next
            switch kind {
            case "turned bit": bytes[position] ^= 0x10
            case "zeros": for index in position..<position + 64 { bytes[index] = 0 }
            case "lost": bytes.removeSubrange(position..<position + 64)
            case "doubled": bytes.insert(contentsOf: bytes[position..<position + 64], at: position)
            default: for index in position..<position + 64 { bytes[index] = UInt8(index * 151 % 251) }
            }
            let (isDamaged, shown) = compose(bytes)
            guard isDamaged else { continue }
            found += 1
            let isLast = shown == before
            #expect(isLast, "\(position)")
        }
        // JPEG has no checksum, so a changed coefficient is visible only in the picture.
        #expect(found > Array(positions).count / (kind == "turned bit" ? 10 : 3))
    }

    @Test("a few extra bytes before restart markers, as sent by Logitech cameras, are harmless")
    func leftOver() throws {
        var bytes = next
        let markers = try restartMarkers(next)
        try #require(markers.count >= 3)
        for (index, marker) in markers.enumerated().reversed() {
            bytes.insert(contentsOf: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].prefix(1 + index * 3), at: marker)
        }
        let (isDamaged, shown) = compose(bytes)
        let isSame = shown == self.shown(next)
        #expect(!isDamaged && isSame)
    }

    @Test("a harmless decoder warning doesn't hide an earlier serious one")
    func hidden() throws {
        let markers = try restartMarkers(next)
        var bytes = next
        // The second slice ends early. An extra byte at the end of the image causes the last warning.
        bytes.insert(0x55, at: bytes.count - 2)
        bytes.removeSubrange(markers[1] - 200..<markers[1])
        let (isDamaged, shown) = compose(bytes)
        let isLast = shown == self.shown(good)
        #expect(isDamaged && isLast)
    }

    @Test("a different size in the frame header is detected with and without decoding")
    func wrongSize() throws {
        var bytes = next
        let frame = try #require(
            bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        bytes[frame + 6] -= 16
        #expect(!Codecs().isWholeJPEG(SharedBytes(bytes), size: size))
        let (isDamaged, shown) = compose(bytes)
        let isLast = shown == self.shown(good)
        #expect(isDamaged && isLast)
    }

    @Test("garbage and zeros after the end are harmless", arguments: [0, 0x41] as [UInt8])
    func trailing(value: UInt8) throws {
        let bytes = next + [UInt8](repeating: value, count: 5000)
        #expect(Codecs().isWholeJPEG(SharedBytes(bytes), size: size))
        let (isDamaged, shown) = compose(bytes)
        let isSame = shown == self.shown(next)
        #expect(!isDamaged && isSame)
    }

    @Test("ffmpeg can play JPEGs without Huffman tables from a copied track")
    func noTables() throws {
        var bytes = next
        while let table = bytes.indices.dropLast().first(where: { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC4 }
        ) {
            bytes.removeSubrange(table..<table + 2 + Int(bytes[table + 2]) << 8 + Int(bytes[table + 3]))
        }
        #expect(bytes.count < next.count - 400)
        let (isDamaged, shown) = compose(bytes)
        let isSame = shown == self.shown(next)
        #expect(!isDamaged && isSame)
        let bench = try Workbench()
        let decoded = try [bytes, next].enumerated().map { index, bytes in
            let file = try bench.write(bytes, "\(index).jpg")
            return try bench.run("ffmpeg", ["-v", "error", "-xerror", "-i", file, "-f", "rawvideo", "-"])
        }
        let isPlayed = decoded[0] == decoded[1]
        #expect(isPlayed && decoded[0].count == 320 * 180 * 2)
    }
}
