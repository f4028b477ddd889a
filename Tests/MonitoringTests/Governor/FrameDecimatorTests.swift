import MulticamMedia
import Testing

@testable import MulticamMonitoring

@Suite("even decimation of frames")
struct FrameDecimatorTests {
    private func remainingTicks(_ from: FrameRate, to rate: FrameRate, ticks: Range<Int64>) -> [Int64] {
        var dropping = FrameDecimator(rate: rate)
        var kept: [Int64] = []
        for tick in ticks where dropping.shouldKeep(from.time(ofTick: tick)) { kept.append(tick) }
        return kept
    }

    @Test(
        "the remaining frames match the lower rate within one frame",
        arguments: [
            (FrameRate(30), FrameRate(15)), (FrameRate(30), FrameRate(20)), (FrameRate(60), FrameRate(25)),
            (FrameRate(30000, per: 1001), FrameRate(15)), (FrameRate(25), FrameRate(24)),
        ])
    func rate(from: FrameRate, to: FrameRate) {
        let seconds: Int64 = 60
        let ticks = from.ticks(before: MediaTime(nanoseconds: seconds * 1_000_000_000))
        let all = remainingTicks(from, to: to, ticks: 0..<ticks)
        #expect(abs(Int64(all.count) - Int64((Double(seconds) * to.perSecond).rounded())) <= 1)
        // Frames are evenly spaced: gaps differ by at most one tick.
        let gaps = zip(all.dropFirst(), all).dropFirst().map { $0 - $1 }
        #expect((gaps.max() ?? 0) - (gaps.min() ?? 0) <= 1)
    }

    @Test("half the rate keeps every second frame")
    func half() {
        #expect(remainingTicks(FrameRate(30), to: FrameRate(15), ticks: 0..<10) == [0, 1, 3, 5, 7, 9])
    }

    @Test("after a pause, decimation restarts with the next frame")
    func pause() {
        var dropping = FrameDecimator(rate: FrameRate(1))
        var verdicts: [Bool] = []
        for milliseconds in [0, 400, 10_000, 10_400] as [Int64] {
            verdicts.append(dropping.shouldKeep(MediaTime(nanoseconds: milliseconds * 1_000_000)))
        }
        #expect(verdicts == [true, false, true, false])
    }
}
