import MulticamEncoding
import MulticamMedia
import Testing

@Suite("Pixel format conversion for applications")
struct ConversionTests {
    private let codecs = Codecs()

    @Test(
        "NV12, I420 and YUYV preserve every code", arguments: [PixelFormat.i420, .nv12, .yuyv],
        [PixelFormat.i420, .nv12, .yuyv])
    func codes(target: PixelFormat, source: PixelFormat) throws {
        let frame = TestFrames.raw(source, 16, 8, color: .bt601Limited) { x, y in
            [x * 10 + y / 2, x / 2 * 4, y / 2 * 9]
        }
        let made = try codecs.convert(frame, to: target)
        let wanted = TestFrames.raw(target, 16, 8) { x, y in [x * 10 + y / 2, x / 2 * 4, y / 2 * 9] }
        #expect(made.memory.array == wanted.memory.array)
        #expect(made.pixel == target && made.color == .bt601Limited && made.size == frame.size)
        #expect(made.capturedAt == frame.capturedAt && made.sequence == frame.sequence)
    }

    @Test(
        "BGRA has correct colors for every matrix and range",
        arguments: [
            ColorDescription.jpeg, .bt601Limited, .bt709Limited,
            ColorDescription(matrix: .bt709, range: .full),
        ])
    func colors(color: ColorDescription) throws {
        for bar in TestFrames.bars {
            let frame = TestFrames.raw(.i420, 16, 8, color: color) { _, _ in
                TestFrames.codes(bar, color)
            }
            let made = try codecs.convert(frame, to: .bgra)
            let pixel = made.memory.array.prefix(4).map { Int($0) }
            #expect(
                distance(pixel, [bar[2], bar[1], bar[0], 1].map { Int(($0 * 255).rounded()) }) <= 4, "\(bar)")
        }
    }

    @Test("an H.264 frame and an unsupported target format are rejected with a reason")
    func refused() throws {
        let unit = CapturedFrame(
            pixel: .h264, size: FrameSize(width: 64, height: 48), color: .jpeg,
            capturedAt: ClockTime(nanoseconds: 0),
            sequence: 0, memory: SharedBytes(count: 100))
        #expect(throws: EncodingError.self) { try codecs.convert(unit, to: .i420) }
        let raw = TestFrames.raw(.i420, 16, 8) { _, _ in [0, 0, 0] }
        let error = #expect(throws: EncodingError.self) { try codecs.convert(raw, to: .uyvy) }
        #expect(error?.description.contains("uyvy") == true)
    }
}
