import MulticamEncoding
import MulticamMedia
import Testing

@Suite("Frame brightness")
struct FrameBrightnessTests {
    private let brightness = FrameBrightness()

    @Test(
        "Black, gray and white have the same brightness in every format and range",
        arguments: [PixelFormat.yuyv, .uyvy, .nv12, .i420, .i422, .grey])
    func raw(pixel: PixelFormat) throws {
        for (code, full, limited) in [
            (16, 16.0 / 255, 0.0), (126, 126.0 / 255, 110.0 / 219), (235, 235.0 / 255, 1),
        ] {
            let frame = TestFrames.raw(pixel, 64, 48) { _, _ in [code, 100, 200] }
            #expect(abs(try #require(brightness.mean(of: frame)) - full) < 1e-9)
            let video = TestFrames.raw(pixel, 64, 48, color: .bt709Limited) { _, _ in [code, 100, 200] }
            #expect(abs(try #require(brightness.mean(of: video)) - limited) < 1e-9)
        }
    }

    @Test("Red, green and blue are weighted according to the matrix")
    func colors() throws {
        let white = TestFrames.raw(.bgra, 64, 48) { _, _ in [255, 255, 255] }
        #expect(abs(try #require(brightness.mean(of: white)) - 1) < 1e-9)
        let green = TestFrames.raw(.bgra, 64, 48) { _, _ in [0, 255, 0] }
        #expect(abs(try #require(brightness.mean(of: green)) - 0.587) < 1e-9)
    }

    @Test("A JPEG's brightness is the mean of its pixels")
    func jpeg() throws {
        let frame = try TestFrames.jpeg(128, 96) { x, _ in [x < 64 ? 40 : 200, 128, 128] }
        #expect(abs(try #require(brightness.mean(of: frame)) - 120.0 / 255) < 0.005)
    }

    @Test("Brightness is undefined for truncated and invalid JPEGs, H.264, and planes outside their memory")
    func unknown() throws {
        let bytes = try TestFrames.jpeg(128, 96) { x, y in [x ^ y, 128, 128] }.memory.array
        #expect(
            brightness.mean(of: TestFrames.jpeg(SharedBytes(bytes.prefix(bytes.count / 2)), 128, 96)) == nil
        )
        #expect(brightness.mean(of: TestFrames.jpeg(SharedBytes([1, 2, 3]), 128, 96)) == nil)
        let size = FrameSize(width: 64, height: 48)
        for (pixel, planes) in [(PixelFormat.h264, []), (.yuyv, [FramePlane(offset: 0, stride: 128)])] {
            let frame = CapturedFrame(
                pixel: pixel, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: 0), sequence: 0,
                memory: SharedBytes(count: 100), planes: planes)
            #expect(brightness.mean(of: frame) == nil)
        }
    }

    @Test(
        "Invalid sizes, and planes beyond the end of memory, are rejected",
        arguments: [PixelFormat.yuyv, .uyvy, .nv12, .i420, .i422, .grey, .bgra])
    func impossible(pixel: PixelFormat) {
        let sides = [-1, 0, 16385, 1 << 31, Int.max]
        let sizes = sides.flatMap { [FrameSize(width: $0, height: 2), FrameSize(width: 2, height: $0)] }
        let whole = FrameSize(width: 64, height: 48)
        let planes = FramePlane.packed(pixel, whole).planes
        func mean(_ size: FrameSize, _ planes: [FramePlane]) -> Double? {
            brightness.mean(
                of: CapturedFrame(
                    pixel: pixel, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: 0),
                    sequence: 0, memory: SharedBytes(count: 64 * 48 * 4), planes: planes))
        }
        #expect(mean(whole, planes) != nil)
        for size in sizes { #expect(mean(size, planes) == nil, "\(size)") }
        for far in [Int.min, -1, Int.max / 2, Int.max] {
            let off = planes.map { FramePlane(offset: far, stride: $0.stride) }
            let long = planes.map { FramePlane(offset: $0.offset, stride: far) }
            #expect(mean(whole, off) == nil && mean(whole, long) == nil, "\(far)")
        }
    }
}
