import MulticamMedia
import Testing

@Suite("text from devices")
struct WordsTests {
    @Test("control characters in device text are replaced, and its length is limited")
    func printable() {
        #expect("Webcam\u{1B}[2J\u{7}".printable() == "Webcam?[2J?")
        #expect("a\u{202E}b\u{2028}c".printable() == "a?b?c")
        #expect(String(repeating: "x", count: 4096).printable(limit: 10) == "xxxxxxxxxx…")
        let tower = "a" + String(repeating: "\u{301}", count: 1000)
        #expect(tower.printable() == "?")
        #expect("Kamera für Müller – 4K".printable() == "Kamera für Müller – 4K")
    }

    @Test("a device error states the operation, the device, the cause, and the remedy")
    func deviceErrors() {
        let missing = DeviceError(device: "/dev/video9", operation: "opening", errno: 2)
        #expect(missing.reason == .notFound && missing.description.contains("Connect it"))
        let holder = DeviceHolder(program: "obs\u{1B}", process: 4312)
        let busy = DeviceError(device: "/dev/video0", operation: "VIDIOC_S_FMT", reason: .busy(by: holder))
        #expect(busy.description.contains("the device is in use by `obs?` (process 4312)"))
        let hidden = DeviceError(device: "/dev/video0", operation: "VIDIOC_S_FMT", reason: .busy(by: nil))
        #expect(hidden.description.contains("`sudo fuser -v /dev/video0`"))
        let full = DeviceError(device: "/dev/video0", operation: "VIDIOC_STREAMON", errno: 28)
        #expect(
            full.description.contains("USB controller")
                && full.description.contains("disk space is not the problem"))
    }

    @Test("the selected rate is the requested one, the next higher one, or the highest")
    func offeredRates() {
        let rates = [FrameRate(15, per: 1), FrameRate(30, per: 1), FrameRate(60, per: 1)]
        let format = OfferedFormat(
            pixel: .mjpeg, size: FrameSize(width: 64, height: 48), rates: .listed(rates))
        #expect(format.rate(for: FrameRate(30, per: 1)) == rates[1])
        #expect(format.rate(for: FrameRate(20, per: 1)) == rates[1])
        #expect(format.rate(for: FrameRate(90, per: 1)) == rates[2])
        #expect(format.rate(for: FrameRate(30_000, per: 1001)) == rates[1])
    }

    @Test(
        "counterclockwise degrees convert to clockwise rotations",
        arguments: [(0, 0), (90, 270), (180, 180), (270, 90), (45, nil)] as [(Int, Int?)])
    func turns(counterclockwise: Int, clockwise: Int?) {
        #expect(Rotation(counterclockwiseDegrees: counterclockwise)?.degrees == clockwise)
    }
}
