import MulticamMedia
import MulticamStressTest
import Testing

@Suite("Format grades of a stress test")
struct StressGradeTests {
    private func format(_ pixel: PixelFormat, _ width: Int, _ height: Int, _ rate: Int64) -> VideoFormat {
        VideoFormat(
            pixel: pixel, size: FrameSize(width: width, height: height), rate: FrameRate(rate, per: 1))
    }

    private func offered(_ pixel: PixelFormat, _ width: Int, _ height: Int, _ rates: Int64...)
        -> OfferedFormat
    {
        OfferedFormat(
            pixel: pixel, size: FrameSize(width: width, height: height),
            rates: .listed(rates.map { FrameRate($0, per: 1) }))
    }

    @Test("A webcam's grades are the configured, the best, and lower formats, compressed and raw, each once")
    func webcam() throws {
        let offer = StressOffer(
            role: "desk", requested: format(.mjpeg, 1280, 720, 30),
            formats: [
                offered(.yuyv, 640, 480, 30, 15), offered(.yuyv, 1920, 1080, 5),
                offered(.mjpeg, 1920, 1080, 60, 30),
                offered(.mjpeg, 1280, 720, 60, 30), offered(.mjpeg, 640, 360, 30),
            ])
        let grades = StressGrade.all([offer])
        #expect(
            grades.map { "\($0.name): \($0.formats["desk"]?.description ?? "")" } == [
                "as configured: mjpeg 1280x720 at 30", "best compressed: mjpeg 1920x1080 at 60",
                "up to 1080p30 compressed: mjpeg 1920x1080 at 30",
                "up to 480p30 compressed: mjpeg 640x360 at 30",
                "best raw: yuyv 1920x1080 at 5", "up to 720p30 raw: yuyv 640x480 at 30",
            ])
    }

    @Test("A camera without a raw format is omitted from raw grades")
    func compressedOnly() {
        let offers = [
            StressOffer(
                role: "a", requested: format(.mjpeg, 640, 480, 30), formats: [offered(.mjpeg, 640, 480, 30)]),
            StressOffer(
                role: "b", requested: format(.mjpeg, 640, 480, 30),
                formats: [offered(.mjpeg, 640, 480, 30), offered(.nv12, 640, 480, 30)]),
        ]
        let raw = StressGrade.all(offers).filter { $0.name.contains("raw") }
        #expect(raw.map(\.formats) == [["b": format(.nv12, 640, 480, 30)]])
    }

    @Test("A range of rates is tested at its ends and at the common rates between them")
    func range() {
        let any = OfferedFormat(
            pixel: .mjpeg, size: FrameSize(width: 640, height: 480),
            rates: .any(from: FrameRate(10, per: 1), through: FrameRate(40, per: 1)))
        let offer = StressOffer(role: "a", requested: format(.mjpeg, 640, 480, 30), formats: [any])
        #expect(offer.modes.first?.rates.map(\.description) == ["10", "15", "20", "25", "30", "40"])
    }
}
