import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Formats reported by drivers")
struct FormatStepsTests {
    @Test("converts a range of sizes into its limits and the common sizes on its steps")
    func stepwise() {
        let sizes = FormatSteps.sizes(width: .init(160, 1280, step: 16), height: .init(120, 960, step: 8))
        #expect(
            sizes.map(\.description) == [
                "160x120", "320x240", "640x360", "640x480", "800x600", "1280x720", "1280x960",
            ])
    }

    @Test("lists a range of one size once")
    func fixed() {
        let sizes = FormatSteps.sizes(width: .init(640, 640, step: 1), height: .init(480, 480, step: 1))
        #expect(sizes == [FrameSize(width: 640, height: 480)])
    }

    @Test("reduces a range beyond the maximum frame size to its usable sizes")
    func huge() {
        let sizes = FormatSteps.sizes(width: .init(0, 100_000, step: 0), height: .init(0, 100_000, step: 0))
        #expect(sizes.count == 10)
        #expect(sizes.last == FrameSize(width: 3840, height: 2160))
    }

    @Test(
        "converts an interval into the nominal rate",
        arguments: [
            (1, 30, FrameRate(30, per: 1)), (333_333, 10_000_000, FrameRate(30, per: 1)),
            (1001, 30_000, FrameRate(30_000, per: 1001)),
            (333_667, 10_000_000, FrameRate(30_000, per: 1001)), (2, 15, FrameRate(15, per: 2)),
            (1_333_333, 10_000_000, FrameRate(15, per: 2)), (0, 30, nil), (1, 0, nil),
            (1, 4_000_000_000, nil),
        ] as [(UInt32, UInt32, FrameRate?)])
    func interval(numerator: UInt32, denominator: UInt32, rate: FrameRate?) {
        #expect(FormatSteps.rate(ofInterval: numerator, denominator) == rate)
    }

    @Test(
        "maps format codes to supported pixel formats",
        arguments: [
            ("MJPG", .mjpeg), ("JPEG", .mjpeg), ("YUYV", .yuyv), ("UYVY", .uyvy), ("NV12", .nv12),
            ("GREY", .grey),
            ("H264", .h264), ("YU12", .i420),
            ("S910", .converted), ("Y16 ", .converted), ("RGB3", .converted), ("HEVC", nil), ("Z16 ", nil),
        ] as [(String, PixelFormat?)])
    func codes(text: String, pixel: PixelFormat?) {
        #expect(FourCC(text).pixel == pixel)
    }

    @Test("formats a code as four characters, lowest byte first, and replaces invalid ones")
    func codeText() {
        #expect(FourCC(0x5659_5559).text == "YUYV")
        #expect(FourCC(0x2036_3159).text == "Y16")
        #expect(FourCC(0x0a07_1b41).text == "A???")
    }
}
