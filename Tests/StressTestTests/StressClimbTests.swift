import MulticamMedia
import MulticamStressTest
import Testing

@Suite("Climb of a stress test")
struct StressClimbTests {
    private func offer(_ role: String, _ sizes: [(Int, Int)], _ rates: [Int64], pixel: PixelFormat = .mjpeg)
        -> StressOffer
    {
        let offered = sizes.map { size in
            OfferedFormat(
                pixel: pixel, size: FrameSize(width: size.0, height: size.1),
                rates: .listed(rates.map { FrameRate($0, per: 1) }))
        }
        let asked = VideoFormat(pixel: pixel, size: offered[0].size, rate: FrameRate(rates[0], per: 1))
        return StressOffer(role: role, requested: asked, formats: offered)
    }

    private func run(_ climb: inout StressClimb, holds: (StressClimb.Step) -> Bool) -> [String] {
        var changes: [String] = []
        while let step = climb.next() {
            let isHeld = holds(step)
            changes.append(
                "\(step.number) \(step.change)\(step.isRepetition ? " again" : "")\(isHeld ? "" : "!")")
            climb.record(passed: isHeld)
        }
        return changes
    }

    @Test("Sizes are raised in turn, then rates, one change per step, up to the maximum")
    func top() {
        var climb = StressClimb([
            offer("a", [(640, 480), (1280, 720)], [15, 30]),
            offer("b", [(640, 480), (1920, 1080)], [30, 60]),
        ])
        #expect(
            run(&climb) { _ in true } == [
                "1 lowest formats: a mjpeg 640x480 at 15, b mjpeg 640x480 at 30",
                "2 a 640x480 → 1280x720 at 15",
                "3 b 640x480 → 1920x1080 at 30", "4 a 15 → 30 fps",
                "5 b 30 → 60 fps",
            ])
        #expect(climb.end == .top && climb.highest?.number == 5)
    }

    @Test("A step that fails twice ends the climb; a step that fails once is repeated")
    func gave() {
        var climb = StressClimb([offer("a", [(320, 240), (640, 480), (1280, 720), (1920, 1080)], [30])])
        var hasFailed = false
        let changes = run(&climb) { step in
            // The second step fails once, and the last one always fails.
            defer { if step.number == 2 { hasFailed = true } }
            return step.number == 2 ? hasFailed : step.number < 4
        }
        #expect(
            changes == [
                "1 lowest formats: a mjpeg 320x240 at 30", "2 a 320x240 → 640x480 at 30!",
                "2 a 320x240 → 640x480 at 30 again", "3 a 640x480 → 1280x720 at 30",
                "4 a 1280x720 → 1920x1080 at 30!", "4 a 1280x720 → 1920x1080 at 30 again!",
            ])
        guard case .failed(let step) = climb.end else {
            Issue.record("it should have given, not \(String(describing: climb.end))")
            return
        }
        #expect(step.number == 4 && climb.highest?.number == 3)
    }

    @Test(
        "A camera with twenty sizes reaches the largest in a few steps, each significantly above the last")
    func manySizes() throws {
        let sizes = (1...20).map { (160 * $0, 90 * $0) }
        var climb = StressClimb([offer("a", sizes, [15])])
        var loads: [Int] = []
        while let step = climb.next() {
            loads.append(try #require(step.formats["a"]?.size.pixelCount))
            climb.record(passed: true)
        }
        #expect(loads.count <= 6 && loads.last == 3200 * 1800)
        #expect(zip(loads, loads.dropFirst()).allSatisfy { Double($1) >= Double($0) * 1.2 })
    }

    @Test("A larger size with a lower rate is a step only if it has more pixels per second")
    func slowSizes() throws {
        let offered = [(640, 480, 30), (1280, 720, 5), (2560, 1440, 15)].map { width, height, rate in
            OfferedFormat(
                pixel: .yuyv, size: FrameSize(width: width, height: height),
                rates: .listed([FrameRate(Int64(rate), per: 1)]))
        }
        let asked = VideoFormat(pixel: .yuyv, size: offered[0].size, rate: FrameRate(30, per: 1))
        var climb = StressClimb([StressOffer(role: "a", requested: asked, formats: offered)])
        #expect(
            run(&climb) { _ in true } == [
                "1 lowest formats: a yuyv 640x480 at 30", "2 a 640x480 → 2560x1440 at 15",
            ])
    }
}
