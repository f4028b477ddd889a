import Testing

@testable import MulticamMedia

@Suite("USB bandwidth reserved by a camera's stream")
struct USBCameraTests {
    private static let bus = USBDomain(
        name: "1", place: "bus 1", controller: "0000:00:14.0", speed: .high, accounting: .ehci)

    private func camera(
        _ payloads: [Int] = [192, 512, 1024, 1600, 2048, 3072], learned: [USBCamera.MeasuredReservation] = [],
        isSynthetic: Bool = false
    ) -> USBCamera {
        USBCamera(
            identity: DeviceIdentity(name: "camera"), speed: .high, domains: [Self.bus],
            settings: payloads.reversed().map { USBReservation(bytes: $0) }, learned: learned,
            isSynthetic: isSynthetic)
    }

    private func format(_ pixel: PixelFormat, _ size: String, _ rate: Int64 = 30) throws -> VideoFormat {
        VideoFormat(pixel: pixel, size: try #require(FrameSize(size)), rate: FrameRate(rate))
    }

    @Test("a raw format uses the smallest setting that fits its data and a 12-byte header")
    func raw() throws {
        // The payload is 640 · 480 · 2 · 30 / 8000 + 12 = 2316 bytes. At half the rate, it is 1152 + 12 =
        // 1164 bytes.
        #expect(USBCamera.payload(of: try format(.yuyv, "640x480"), at: .high) == 2316)
        let full = try #require(try camera().demand(in: format(.yuyv, "640x480")))
        #expect(full.reservation.bytes == 3072 && full.basis == .computed)
        #expect(try camera().demand(in: format(.yuyv, "640x480", 15))?.reservation.bytes == 1600)
        #expect(try camera().demand(in: format(.nv12, "320x240"))?.reservation.bytes == 512)
    }

    @Test(
        "a compressed format uses the learned reservation, or an assumption marked as such with its upper bound"
    )
    func compressed() throws {
        let mjpeg = try format(.mjpeg, "1280x720")
        let assumed = try #require(camera().demand(in: mjpeg))
        // The payload is 1280 · 720 · 0.09 · 3 · 30 / 8000 + 12 = 946 bytes.
        #expect(
            assumed.reservation.bytes == 1024 && assumed.basis == .estimated && assumed.maximum.bytes == 3072)
        let known = camera(learned: [.init(format: mjpeg, bytes: 3072)])
        let learned = try #require(known.demand(in: mjpeg))
        #expect(learned.reservation.bytes == 3072 && learned.basis == .measured)
        #expect(try known.demand(in: format(.mjpeg, "640x480"))?.basis == .estimated)
        // The camera is now connected at another speed, at which it has other settings.
        #expect(camera(learned: [.init(format: mjpeg, bytes: 1020)]).demand(in: mjpeg)?.basis == .estimated)
    }

    @Test("a camera with a single setting reserves all of it, even for small frames")
    func greedy() throws {
        let demand = try #require(try camera([3072]).demand(in: format(.mjpeg, "320x240")))
        #expect(demand.reservation.bytes == 3072 && demand.reservation == demand.maximum)
    }

    @Test("a format too large for all settings uses the largest; on a synthetic camera, it fails")
    func tooLarge() throws {
        let raw = try format(.yuyv, "1920x1080")
        #expect(try #require(camera().demand(in: raw)).reservation.bytes == 3072)
        let demand = try #require(camera(isSynthetic: true).demand(in: raw))
        #expect(demand.basis == .tooLarge(15_564))
        #expect(
            try camera(isSynthetic: true).demand(in: format(.mjpeg, "3840x2160"))?.reservation.bytes == 3072)
    }

    @Test("a camera with bulk transfers reserves nothing")
    func bulk() throws {
        #expect(try camera([]).demand(in: format(.yuyv, "1920x1080")) == nil)
    }

    @Test("a setting with longer intervals must carry more data per interval")
    func intervals() throws {
        var slow = camera([])
        slow.settings = [USBReservation(bytes: 1024, microframes: 2), USBReservation(bytes: 1024)]
        let demand = try #require(try slow.demand(in: format(.mjpeg, "1280x720")))
        #expect(demand.reservation.microframes == 1)
    }
}
