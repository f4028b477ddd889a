import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("missing frames that the source does not report")
struct UnreportedGapDetectorTests {
    /// Simulates a camera with 30 frames per second that delivers nothing for `silence` seconds after the
    /// first ten frames. Eight frames later, the clock model moves by `moved`.
    private func missing(silence: Double, moved: Nanoseconds, counted: Int64 = 0) -> [Int] {
        var watch = UnreportedGapDetector()
        return (0..<60 as Range<Int64>).compactMap { index in
            let isAfter = index >= 10
            let arrival = Double(index) / 30 + (isAfter ? silence : 0)
            let clock = ClockReading(
                interval: .microseconds(33_333), partsPerMillion: 0, residual: .zero, isLocked: true,
                restarts: index >= 18 ? 1 : 0, moved: index >= 18 ? moved : .zero)
            return watch.recordFrame(
                index + (isAfter ? counted : 0), at: ClockTime(nanoseconds: 0) + .seconds(rounding: arrival),
                clock: clock)?.count
        }
    }

    @Test("a camera that paused for 3 s and continues its count has lost ninety frames")
    func slept() {
        #expect(missing(silence: 3, moved: .milliseconds(3002)) == [90])
    }

    @Test("a busy host, a clock jump, and losses visible in the camera's count are not unreported gaps")
    func others() {
        #expect(missing(silence: 3, moved: .zero).isEmpty)
        #expect(missing(silence: 0, moved: .seconds(3)).isEmpty)
        #expect(missing(silence: 3, moved: .zero, counted: 90).isEmpty)
    }
}
