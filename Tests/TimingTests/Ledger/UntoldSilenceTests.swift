import Media
import Testing

@testable import Timing

@Suite("frames missing though nobody tells")
struct UntoldSilenceTests {
    /// A camera of 30 frames a second of which nothing arrives for some seconds after the first ten; `moved` is by how
    /// much its clock is found to have moved eight frames later.
    private func missing(silence: Double, moved: Nanoseconds, counted: Int64 = 0) -> [Int] {
        var watch = UntoldSilence()
        return (0..<60 as Range<Int64>).compactMap { index in
            let isAfter = index >= 10
            let arrival = Double(index) / 30 + (isAfter ? silence : 0)
            let clock = ClockReading(
                interval: .microseconds(33_333), partsPerMillion: 0, residual: .zero, isLocked: true,
                restarts: index >= 18 ? 1 : 0, moved: index >= 18 ? moved : .zero)
            return watch.frameCame(
                index + (isAfter ? counted : 0), at: ClockTime(nanoseconds: 0) + .seconds(rounding: arrival),
                clock: clock)?.count
        }
    }

    @Test("a camera that slept for 3 s and counts on has lost ninety frames")
    func slept() {
        #expect(missing(silence: 3, moved: .milliseconds(3002)) == [90])
    }

    @Test("a host that was busy, a clock that jumped, and losses that the camera counts are no silence")
    func others() {
        #expect(missing(silence: 3, moved: .zero).isEmpty)
        #expect(missing(silence: 0, moved: .seconds(3)).isEmpty)
        #expect(missing(silence: 3, moved: .zero, counted: 90).isEmpty)
    }
}
