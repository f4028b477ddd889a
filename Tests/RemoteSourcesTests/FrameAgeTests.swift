import Media
import Testing

@testable import RemoteSources

@Suite("How old frames of a shared screen are")
struct FrameAgeTests {
    @Test(
        "dates are as even as the looks, and each within its stated error of when the desktop composed the frame"
    )
    func moving() {
        // A desktop that composes 60 times a second, each frame of which takes 7 ms to come, is looked at 30 times a second, by another clock.
        var age = FrameAge()
        var before: ClockTime?
        for number in 1...600 as ClosedRange<Int64> {
            let time = ClockTime(nanoseconds: number * 33_340_000)
            let composed = ClockTime(nanoseconds: (time.nanoseconds - 7_000_000) / 16_666_667 * 16_666_667)
            age.note(time - composed)
            let date = age.date(at: time)
            // What the first looks find is not all there is to find.
            guard number > 60 else { continue }
            #expect((date - composed).magnitude <= age.error + .milliseconds(1))
            if let before { #expect((date - before - .microseconds(33_340)).magnitude < .milliseconds(2)) }
            before = date
        }
        #expect(age.error < .milliseconds(10))
    }

    @Test("a desktop that dates by another clock is believed nothing, and the error says so")
    func otherClock() {
        var age = FrameAge()
        for strange in [-5, 3_600_000, -9_000_000_000] as [Int64] { age.note(.milliseconds(strange)) }
        let time = ClockTime(nanoseconds: 5_000_000_000)
        #expect(age.date(at: time) < time)
        #expect(age.error == .milliseconds(17))
    }

    @Test("dates never go back, however the ages change")
    func rising() {
        var age = FrameAge()
        var before = ClockTime(nanoseconds: 0)
        for (number, milliseconds) in ([1, 1, 400, 2, 500, 1] as [Int64]).enumerated() {
            let time = ClockTime(nanoseconds: 1_000_000_000 + Int64(number) * 10_000_000)
            age.note(.milliseconds(milliseconds))
            let date = age.date(at: time)
            #expect(date > before)
            before = date
        }
    }
}
