import CMulticamVision
import MulticamMedia
import MulticamQRCodes
import MulticamSeededNoise
import Testing

@testable import MulticamVision

@Suite("Codes in images")
struct CodeReaderTests {
    /// Draws a QR code into a gray image.
    private func image(_ text: String, module: Int, noise: Double = 0) throws -> GrayImage {
        let code = QRCode.modules(text)
        try #require(!code.isEmpty)
        let (width, height) = (640, 360)
        var generator = SeededGenerator(seed: 7)
        var pixels = [UInt8](repeating: 200, count: width * height)
        for row in 0..<code.count * module where row + 20 < height {
            for column in 0..<code.count * module where column + 20 < width {
                pixels[(row + 20) * width + column + 20] = code[row / module][column / module] ? 20 : 235
            }
        }
        if noise > 0 {
            for index in pixels.indices {
                pixels[index] = UInt8(min(max(Double(pixels[index]) + generator.normal() * noise, 0), 255))
            }
        }
        return GrayImage(width: width, height: height, pixels: pixels)
    }

    @Test("a QR code is read at different sizes and with noise", arguments: [2, 3, 4, 6, 8])
    func sizes(module: Int) throws {
        let reader = try #require(CodeReader())
        let found = reader.codes(in: try image("https://example.org/7", module: module, noise: 8))
        #expect(found.map(\.payload) == ["https://example.org/7"])
        #expect(found.first?.kind == .qr)
        let box = try #require(found.first?.box)
        #expect(box.x < 0.1 && box.y < 0.15)
    }

    @Test(
        "control characters of a payload are replaced, and a long payload is truncated",
        arguments: [
            "a\u{1B}[31mred\u{7}", "x\u{202E}gpj.exe", "line\nfeed", String(repeating: "A", count: 1500),
        ])
    func hostile(payload: String) throws {
        let reader = try #require(CodeReader())
        let found = try #require(reader.codes(in: try image(payload, module: 2)).first)
        #expect(found.payload == payload.printable(limit: 1000))
        #expect(!found.payload.unicodeScalars.contains { $0.value < 32 || $0.value == 0x202E })
    }

    @Test("an image without codes yields none")
    func none() throws {
        let reader = try #require(CodeReader())
        var generator = SeededGenerator(seed: 1)
        let pixels = (0..<640 * 360).map { _ in UInt8(generator.fraction() * 255) }
        #expect(reader.codes(in: GrayImage(width: 640, height: 360, pixels: pixels)).isEmpty)
    }
}

@Suite("Gray images")
struct GrayImageTests {
    @Test(
        "a luma plane with padding is rotated upright",
        arguments: [Rotation.none, .quarter, .half, .threeQuarters])
    func rotation(rotation: Rotation) throws {
        let size = FrameSize(width: 32, height: 16)
        let stride = 40
        let bytes = SharedBytes(count: stride * 24)
        for row in 0..<24 {
            for column in 0..<stride {
                bytes.start.storeBytes(of: 0, toByteOffset: row * stride + column, as: UInt8.self)
            }
        }
        // A bright pixel in the upper left corner of the stored frame.
        bytes.start.storeBytes(of: 255, as: UInt8.self)
        let frame = CapturedFrame(
            pixel: .nv12, size: size, color: .bt601Limited, capturedAt: ClockTime(nanoseconds: 1),
            sequence: 1,
            isKey: true, memory: bytes,
            planes: [FramePlane(offset: 0, stride: stride), FramePlane(offset: stride * 16, stride: stride)],
            isOwned: true)
        let image = try #require(GrayImage(lumaOf: frame, rotation: rotation))
        let place = try #require(image.pixels.firstIndex(of: 255))
        let (x, y) = (place % image.width, place / image.width)
        let corner: (Int, Int) =
            switch rotation {
            case .none: (0, 0)
            case .quarter: (image.width - 1, 0)
            case .half: (image.width - 1, image.height - 1)
            case .threeQuarters: (0, image.height - 1)
            }
        #expect((x, y) == corner)
    }
}
