import MulticamMedia
import Testing

@testable import MulticamRemoteSources

@Suite("Age of a shared screen's frames")
struct FrameAgeTests {
    @Test(
        "capture times are as regular as the polling, and within the stated error of the composition time"
    )
    func moving() {
        // A desktop composes 60 frames per second, and each is available after 7 ms. The frames are polled 30
        // times per second by another clock.
        var age = FrameAge()
        var before: ClockTime?
        for number in 1...600 as ClosedRange<Int64> {
            let time = ClockTime(nanoseconds: number * 33_340_000)
            let composed = ClockTime(nanoseconds: (time.nanoseconds - 7_000_000) / 16_666_667 * 16_666_667)
            age.record(time - composed)
            let date = age.estimateCaptureTime(at: time)
            // The estimate needs some frames to converge.
            guard number > 60 else { continue }
            #expect((date - composed).magnitude <= age.error + .milliseconds(1))
            if let before { #expect((date - before - .microseconds(33_340)).magnitude < .milliseconds(2)) }
            before = date
        }
        #expect(age.error < .milliseconds(10))
    }

    @Test("timestamps of a desktop that uses another clock are ignored, and the stated error reflects that")
    func otherClock() {
        var age = FrameAge()
        for strange in [-5, 3_600_000, -9_000_000_000] as [Int64] { age.record(.milliseconds(strange)) }
        let time = ClockTime(nanoseconds: 5_000_000_000)
        #expect(age.estimateCaptureTime(at: time) < time)
        #expect(age.error == .milliseconds(17))
    }

    @Test("capture times never go backward, regardless of the ages")
    func rising() {
        var age = FrameAge()
        var before = ClockTime(nanoseconds: 0)
        for (number, milliseconds) in ([1, 1, 400, 2, 500, 1] as [Int64]).enumerated() {
            let time = ClockTime(nanoseconds: 1_000_000_000 + Int64(number) * 10_000_000)
            age.record(.milliseconds(milliseconds))
            let date = age.estimateCaptureTime(at: time)
            #expect(date > before)
            before = date
        }
    }
}
