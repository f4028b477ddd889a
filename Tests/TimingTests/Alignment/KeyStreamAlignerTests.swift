import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("Frames of a copied stream")
struct KeyStreamAlignerTests {
    private static let start = ClockTime(nanoseconds: 5_000_000_000)

    private static func aligner(frames: Range<Int64>, phase: Nanoseconds) -> KeyStreamAligner<Int64> {
        var aligner = KeyStreamAligner<Int64>(start: start)
        for frame in frames {
            let time = start + Nanoseconds(FrameRate(30).time(ofTick: frame).nanoseconds) + phase
            aligner.add(frame, isKey: frame % 10 == 0, capturedAt: time)
        }
        return aligner
    }

    /// Presentation time of a frame, in ticks of 90 kHz.
    private static func tick(_ frame: Int64, phase: Nanoseconds = .zero) -> Int64 {
        MediaTime(nanoseconds: FrameRate(30).time(ofTick: frame).nanoseconds + phase.count)
            .ticks(perSecond: 90_000)
    }

    @Test(
        "a track begins with the last key frame at or before T0, and all frames keep their capture times"
    )
    func beginning() {
        let early = -Nanoseconds.milliseconds(3)
        var aligner = Self.aligner(frames: -15..<31, phase: early)
        let taken = aligner.dequeue(before: Self.start + .seconds(1))
        #expect(taken.map(\.frame) == Array(0..<31))
        #expect(taken.map(\.tick) == (Int64(0)..<31).map { Self.tick($0, phase: early) })
        // The key frame was captured 3 ms before T0. It is shown at T0, but does not count as captured.
        #expect(aligner.counts.captured == 30)
        let late = Nanoseconds.milliseconds(3)
        var other = Self.aligner(frames: -15..<31, phase: late)
        #expect(
            other.dequeue(before: Self.start + .seconds(1)).map(\.tick)
                == (Int64(-10)..<30).map { Self.tick($0, phase: late) })
        #expect(other.counts.captured == 30)
    }

    @Test(
        "a camera that is faster or slower than nominal keeps its capture times and all frames over hours",
        arguments: [150, 20_000, 100_000, -150, -20_000, -100_000])
    func drift(partsPerMillion: Int64) {
        // The camera captures 30 frames per second by its own clock, which drifts by `partsPerMillion`.
        let rate = FrameRate(30 * (1_000_000 + partsPerMillion), per: 1_000_000)
        let seconds: Int64 = 3 * 3600
        var aligner = KeyStreamAligner<Int64>(start: Self.start)
        var (count, worst) = (0, Int64(0))
        for second in 1...seconds {
            let before = rate.ticks(before: MediaTime(nanoseconds: (second - 1) * 1_000_000_000))
            for frame in before..<rate.ticks(before: MediaTime(nanoseconds: second * 1_000_000_000)) {
                let time = rate.time(ofTick: frame).nanoseconds
                aligner.add(
                    frame, isKey: frame % 30 == 0, capturedAt: Self.start + Nanoseconds(time))
            }
            for (frame, tick) in aligner.dequeue(before: Self.start + .seconds(second)) {
                let shown = FrameRate(90_000).time(ofTick: tick).nanoseconds
                worst = max(worst, abs(shown - rate.time(ofTick: frame).nanoseconds))
                count += 1
            }
        }
        #expect(worst <= 5556, "half a tick of 90 kHz, in nanoseconds")
        #expect(Int64(count) == rate.ticks(before: MediaTime(nanoseconds: seconds * 1_000_000_000)))
        #expect(aligner.counts.captured == count && aligner.counts.lost.isEmpty && aligner.isEmpty)
    }

    @Test("a frame that is not later than the previous one is moved one tick after it, not dropped")
    func backwards() {
        var aligner = KeyStreamAligner<Int64>(start: Self.start)
        for (frame, time) in zip(Int64(0)..., [0, 33, 20, 66, 100] as [Int64]) {
            aligner.add(frame, isKey: frame == 0, capturedAt: Self.start + .milliseconds(time))
        }
        let taken = aligner.dequeue(before: Self.start + .seconds(1))
        #expect(taken.map(\.frame) == Array(0..<5))
        #expect(taken.map(\.tick) == [0, 2970, 2971, 5940, 9000])
    }

    @Test("frames captured at or after the end are not part of the recording")
    func end() {
        var aligner = Self.aligner(frames: 0..<40, phase: -.milliseconds(10))
        let taken = aligner.dequeue(before: Self.start + .seconds(1))
        #expect(taken.last?.frame == 30)
        #expect(aligner.counts.captured == 30)
    }

    @Test(
        "without a key frame before T0, the track begins with the next one, and earlier frames are lost"
    )
    func withoutKey() {
        var aligner = KeyStreamAligner<Int64>(start: Self.start)
        var taken: [(frame: Int64, tick: Int64)] = []
        for frame in Int64(-5)..<30 {
            let time = Self.start + Nanoseconds(FrameRate(30).time(ofTick: frame).nanoseconds)
            aligner.add(frame, isKey: frame == 12, capturedAt: time)
            taken += aligner.dequeue(before: time)
        }
        taken += aligner.dequeue(before: Self.start + .seconds(1))
        #expect(
            taken.map(\.frame) == Array(12..<30)
                && taken.map(\.tick) == (Int64(12)..<30).map { Self.tick($0) })
        _ = aligner.finish(at: Self.start + .seconds(1))
        #expect(aligner.counts.captured == 18 && aligner.counts.lost == [.late: 12])
    }
}
