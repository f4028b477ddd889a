import Media
import Testing

@testable import Capture

@Suite("Timestamps of audio samples")
struct SampleDatingTests {
    private let start = ClockTime(nanoseconds: 5_000_000_000)

    private func dating() -> SampleDating {
        var dating = SampleDating(rate: 48_000)
        _ = dating.report(start)
        return dating
    }

    @Test("does not count samples before the first report, because they cannot be timestamped")
    func undated() {
        var dating = SampleDating(rate: 48_000)
        #expect(dating.take(480) == nil)
        #expect(dating.report(start) == .steady)
        let slice = dating.take(480)
        #expect(slice?.first == 0)
        #expect(slice?.time == start)
    }

    @Test("spaces slices at the sample rate without accumulating rounding errors")
    func rate() {
        var dating = SampleDating(rate: 44_100)
        _ = dating.report(start)
        for _ in 0..<63_000 { _ = dating.take(7) }
        let slice = dating.take(7)
        #expect(slice?.first == 441_000)
        #expect(slice?.time == start + .seconds(10))
    }

    @Test("averages the first reports")
    func average() {
        var dating = dating()
        #expect(dating.report(start + .milliseconds(6)) == .steady)
        #expect(dating.report(start - .milliseconds(3)) == .steady)
        #expect(dating.end == start + .milliseconds(1))
    }

    @Test("ignores a single outlier")
    func wildReport() {
        var dating = dating()
        #expect(dating.report(start + .seconds(2)) == .doubtful)
        #expect(dating.end == start)
        #expect(dating.report(start) == .steady)
        #expect(dating.report(start + .seconds(2)) == .doubtful)
        #expect(dating.end == start)
    }

    @Test("counts a jump confirmed by two reports as that many lost samples")
    func jump() {
        var dating = dating()
        _ = dating.take(480)
        let expected = start + .milliseconds(10)
        #expect(dating.report(expected + .milliseconds(101)) == .doubtful)
        #expect(dating.report(expected + .milliseconds(100)) == .lost(count: 4_800, at: expected))
        let slice = dating.take(480)
        #expect(slice?.first == 5_280)
        #expect(slice?.time == expected + .milliseconds(100))
    }

    @Test("counts a stalled source as a loss only once it resumes")
    func stall() {
        var dating = dating()
        for tenths in 1...10 as ClosedRange<Int64> {
            #expect(dating.report(start + .milliseconds(100 * tenths)) == .doubtful)
        }
        #expect(dating.report(start + .milliseconds(1_001)) == .lost(count: 48_048, at: start))
    }

    @Test("adjusts the timestamps after a jump back without repeating samples")
    func jumpBack() {
        var dating = dating()
        _ = dating.take(4_800)
        #expect(dating.report(start) == .doubtful)
        #expect(dating.report(start) == .steady)
        #expect(dating.end == start)
        #expect(dating.position == 4_800)
    }

    @Test("advances the sample count by the duration of an interruption")
    func interruption() {
        var dating = dating()
        _ = dating.take(48_000)
        dating.interrupt()
        #expect(dating.end == start + .seconds(1))
        #expect(dating.take(480) == nil)
        #expect(dating.report(start + .seconds(3)) == .steady)
        let slice = dating.take(480)
        #expect(slice?.first == 144_000)
        #expect(slice?.time == start + .seconds(3))
    }

    @Test("discards audio from before an interruption")
    func oldBuffer() {
        var dating = dating()
        _ = dating.take(48_000)
        dating.interrupt()
        _ = dating.report(start + .milliseconds(990))
        #expect(dating.take(240) == nil)
        #expect(dating.take(240) == nil)
        #expect(dating.take(240)?.first == 48_000)
    }
}
