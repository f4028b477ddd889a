import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Timestamps of audio samples")
struct SampleTimestamperTests {
    private let start = ClockTime(nanoseconds: 5_000_000_000)

    private func dating() -> SampleTimestamper {
        var dating = SampleTimestamper(rate: 48_000)
        _ = dating.applyReport(start)
        return dating
    }

    @Test("does not count samples before the first report, because they cannot be timestamped")
    func undated() {
        var dating = SampleTimestamper(rate: 48_000)
        #expect(dating.advance(by: 480) == nil)
        #expect(dating.applyReport(start) == .steady)
        let slice = dating.advance(by: 480)
        #expect(slice?.first == 0)
        #expect(slice?.time == start)
    }

    @Test("spaces slices at the sample rate without accumulating rounding errors")
    func rate() {
        var dating = SampleTimestamper(rate: 44_100)
        _ = dating.applyReport(start)
        for _ in 0..<63_000 { _ = dating.advance(by: 7) }
        let slice = dating.advance(by: 7)
        #expect(slice?.first == 441_000)
        #expect(slice?.time == start + .seconds(10))
    }

    @Test("averages the first reports")
    func average() {
        var dating = dating()
        #expect(dating.applyReport(start + .milliseconds(6)) == .steady)
        #expect(dating.applyReport(start - .milliseconds(3)) == .steady)
        #expect(dating.end == start + .milliseconds(1))
    }

    @Test("ignores a single outlier")
    func wildReport() {
        var dating = dating()
        #expect(dating.applyReport(start + .seconds(2)) == .doubtful)
        #expect(dating.end == start)
        #expect(dating.applyReport(start) == .steady)
        #expect(dating.applyReport(start + .seconds(2)) == .doubtful)
        #expect(dating.end == start)
    }

    @Test("counts a jump confirmed by two reports as that many lost samples")
    func jump() {
        var dating = dating()
        _ = dating.advance(by: 480)
        let expected = start + .milliseconds(10)
        #expect(dating.applyReport(expected + .milliseconds(101)) == .doubtful)
        #expect(dating.applyReport(expected + .milliseconds(100)) == .lost(count: 4_800, at: expected))
        let slice = dating.advance(by: 480)
        #expect(slice?.first == 5_280)
        #expect(slice?.time == expected + .milliseconds(100))
    }

    @Test("counts a stalled source as a loss only once it resumes")
    func stall() {
        var dating = dating()
        for tenths in 1...10 as ClosedRange<Int64> {
            #expect(dating.applyReport(start + .milliseconds(100 * tenths)) == .doubtful)
        }
        #expect(dating.applyReport(start + .milliseconds(1_001)) == .lost(count: 48_048, at: start))
    }

    @Test("adjusts the timestamps after a jump back without repeating samples")
    func jumpBack() {
        var dating = dating()
        _ = dating.advance(by: 4_800)
        #expect(dating.applyReport(start) == .doubtful)
        #expect(dating.applyReport(start) == .steady)
        #expect(dating.end == start)
        #expect(dating.position == 4_800)
    }

    @Test("advances the sample count by the duration of an interruption")
    func interruption() {
        var dating = dating()
        _ = dating.advance(by: 48_000)
        dating.interrupt()
        #expect(dating.end == start + .seconds(1))
        #expect(dating.advance(by: 480) == nil)
        #expect(dating.applyReport(start + .seconds(3)) == .steady)
        let slice = dating.advance(by: 480)
        #expect(slice?.first == 144_000)
        #expect(slice?.time == start + .seconds(3))
    }

    @Test("discards audio from before an interruption")
    func oldBuffer() {
        var dating = dating()
        _ = dating.advance(by: 48_000)
        dating.interrupt()
        _ = dating.applyReport(start + .milliseconds(990))
        #expect(dating.advance(by: 240) == nil)
        #expect(dating.advance(by: 240) == nil)
        #expect(dating.advance(by: 240)?.first == 48_000)
    }
}
