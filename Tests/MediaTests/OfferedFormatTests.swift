import MulticamMedia
import Testing

@Suite("Formats offered by a camera")
struct OfferedFormatTests {
    private func offer(_ pixel: PixelFormat, _ size: String, native: String? = nil) throws -> OfferedFormat {
        OfferedFormat(
            pixel: pixel, nativeName: native, size: try #require(FrameSize(size)),
            rates: .listed([FrameRate(30)]))
    }

    private func camera(_ formats: [OfferedFormat]) -> CaptureDevice {
        CaptureDevice(
            mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "a"), name: "a",
            node: "/dev/video0", selector: "/dev/video0", formats: formats)
    }

    @Test("formats are sorted by size, and by the driver's order within a size")
    func order() throws {
        let camera = camera([
            try offer(.mjpeg, "1920x1080"), try offer(.mjpeg, "640x480"), try offer(.yuyv, "640x480"),
            try offer(.yuyv, "320x240"), try offer(.yuyv, "1280x720"),
        ])
        #expect(
            camera.formats.map { "\($0.pixel.rawValue) \($0.size)" } == [
                "yuyv 320x240", "mjpeg 640x480", "yuyv 640x480", "yuyv 1280x720", "mjpeg 1920x1080",
            ])
    }

    @Test(
        "a camera has only the presets that exactly match an offered size",
        arguments: [
            (["640x480"], [.vga]), (["640x360", "1280x960"], []),
            (["1920x1080", "1280x720"], [.hd720, .hd1080]),
            (["3840x2160", "4096x2160", "640x480"], [.vga, .uhd4k]),
        ] as [([String], [SizePreset])])
    func presets(sizes: [String], presets: [SizePreset]) throws {
        #expect(camera(try sizes.map { try offer(.mjpeg, $0) }).sizePresets == presets)
    }

    @Test("a camera is gray if it offers only formats without color")
    func grey() throws {
        #expect(!camera([]).isGray)
        #expect(camera([try offer(.grey, "640x360")]).isGray)
        #expect(
            camera([try offer(.grey, "640x360"), try offer(.converted, "640x360", native: "Y16")]).isGray)
        #expect(!camera([try offer(.grey, "640x360"), try offer(.yuyv, "640x360")]).isGray)
        #expect(!camera([try offer(.converted, "640x360", native: "S910")]).isGray)
    }
}
