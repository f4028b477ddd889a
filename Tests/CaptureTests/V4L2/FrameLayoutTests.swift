import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Frames in driver memory")
struct FrameLayoutTests {
    private let size = FrameSize(width: 64, height: 48)

    private func layout(_ pixel: PixelFormat, stride: Int) -> FrameLayout {
        FrameLayout(pixel: pixel, size: size, stride: stride, color: .bt709Limited)
    }

    @Test(
        "supports rows longer than the frame's width",
        arguments: [
            (.yuyv, 128, [FramePlane(offset: 0, stride: 128)], 128 * 48),
            (.yuyv, 160, [FramePlane(offset: 0, stride: 160)], 160 * 48),
            (.uyvy, 0, [FramePlane(offset: 0, stride: 128)], 128 * 48),
            (
                .nv12, 96, [FramePlane(offset: 0, stride: 96), FramePlane(offset: 4608, stride: 96)],
                96 * 72
            ),
            (
                .i420, 96,
                [
                    FramePlane(offset: 0, stride: 96), FramePlane(offset: 4608, stride: 48),
                    FramePlane(offset: 5760, stride: 48),
                ], 96 * 72
            ),
        ] as [(PixelFormat, Int, [FramePlane], Int)])
    func strides(pixel: PixelFormat, stride: Int, planes: [FramePlane], byteCount: Int) {
        let layout = layout(pixel, stride: stride)
        #expect(layout.planes == planes)
        #expect(layout.byteCount == byteCount)
        #expect(layout.color == .bt709Limited)
    }

    @Test("sets no planes for compressed frames, and full range for JPEG regardless of the driver")
    func compressed() {
        let layout = layout(.mjpeg, stride: 0)
        #expect(layout.planes.isEmpty)
        #expect(layout.byteCount == 1)
        #expect(layout.color == .jpeg)
    }

    @Test("converts frames to I420")
    func converted() {
        let layout = layout(.converted, stride: 64)
        #expect(layout.pixel == .i420)
        #expect(layout.planes == FramePlane.packed(.i420, size).planes)
        #expect(layout.color == .bt601Limited)
    }

    /// Values of `enum v4l2_colorspace`, `v4l2_ycbcr_encoding`, and `v4l2_quantization` in linux/videodev2.h.
    @Test(
        "uses the driver's color properties, and the header's defaults for unspecified ones",
        arguments: [
            (0, 0, 0, .bt601Limited), (8, 0, 0, .bt601Limited), (7, 0, 0, .jpeg), (3, 0, 0, .bt709Limited),
            (8, 2, 0, .bt709Limited), (3, 1, 0, .bt601Limited), (8, 0, 1, .jpeg), (7, 0, 2, .bt601Limited),
            (10, 0, 0, .bt709Limited),
        ] as [(UInt32, UInt32, UInt32, ColorDescription)])
    func colors(colorspace: UInt32, encoding: UInt32, quantization: UInt32, color: ColorDescription) {
        #expect(
            V4L2Colors.description(colorspace: colorspace, encoding: encoding, quantization: quantization)
                == color)
    }

    @Test(
        "treats an access unit with an IDR slice or a sequence parameter set as a key frame",
        arguments: [
            ([0, 0, 0, 1, 0x09, 0xf0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x68, 3], true),
            ([0, 0, 1, 0x65, 0x88], true),
            ([0, 0, 0, 1, 0x41, 0x9a], false), ([0, 0, 1, 0x06, 5, 0, 0, 1, 0x41, 1, 0, 0, 1, 0x65], false),
            ([0, 0, 1], false),
            ([], false), ([1, 2, 3, 4, 5], false),
        ] as [([UInt8], Bool)])
    func accessUnits(bytes: [UInt8], isKey: Bool) {
        #expect(bytes.withUnsafeBytes { H264KeyFrameDetector.isKey($0) } == isKey)
    }
}
