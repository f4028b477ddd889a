import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("frames on the grid")
struct TrackAlignerTests {
    private let start = ClockTime(nanoseconds: 1_000_000_000)
    private let rate = FrameRate(30, per: 1)

    /// Simulates a camera with the given rate and phase, and returns the frame number shown at each tick;
    /// `nil` for a slate.
    private func shown(
        cameraRate: Double, phase: Nanoseconds, ticks: Int64, without lost: Set<Int> = []
    ) -> (frames: [Int?], counts: FrameCounts) {
        let interval = Nanoseconds.seconds(rounding: 1 / cameraRate)
        var aligner = TrackAligner<Int>(start: start, rate: rate, cameraInterval: interval)
        let count = Int(Double(ticks) / rate.perSecond * cameraRate) + 4
        for index in 0..<count where !lost.contains(index) {
            let time = start + phase + Nanoseconds.seconds(rounding: Double(index) / cameraRate)
            aligner.add(index, capturedAt: time)
        }
        var current: Int?
        let frames = (0..<ticks).map { tick -> Int? in
            switch aligner.choose(tick: tick) {
            case .show(let frame): current = frame
            case .repeatLast: break
            case .slate: current = nil
            }
            return current
        }
        return (frames, aligner.counts)
    }

    @Test("a camera at the grid's rate provides a new frame for each tick", arguments: [-16, -8, 0, 8, 16])
    func sameRate(phase: Int64) {
        let (frames, counts) = shown(cameraRate: 30, phase: .milliseconds(phase), ticks: 300)
        #expect(Set(frames).count == 300)
        #expect(counts.written == 300)
        #expect(counts.captured == 300)
        #expect(counts.duplicated == 0)
    }

    @Test("with a camera of 25 frames per second, a frame is duplicated at every sixth tick")
    func slower() {
        let (_, counts) = shown(cameraRate: 25, phase: .zero, ticks: 300)
        #expect((49...51).contains(counts.duplicated))
        #expect(counts.captured + counts.duplicated == 300)
        #expect(counts.decimated == 0)
    }

    @Test("with a camera of 60 frames per second, every other frame is decimated")
    func faster() {
        let (_, counts) = shown(cameraRate: 60, phase: .milliseconds(2), ticks: 300)
        #expect(counts.duplicated == 0)
        #expect((298...300).contains(counts.decimated))
        #expect(counts.written == 300)
    }

    @Test(
        "the frame shown at a tick is at most 0.55 intervals away, at any rate",
        arguments: [24.0, 25, 29.97, 30, 30.01, 50, 59.94])
    func nearest(cameraRate: Double) {
        let (frames, _) = shown(cameraRate: cameraRate, phase: .milliseconds(5), ticks: 900)
        for (tick, frame) in frames.enumerated() {
            guard let frame else { continue }
            let captured = 0.005 + Double(frame) / cameraRate
            #expect(abs(captured - Double(tick) / 30) <= 0.5501 / cameraRate)
        }
    }

    @Test("a lost frame is replaced by the previous one, and later frames stay at their ticks")
    func loss() {
        let (frames, counts) = shown(cameraRate: 30, phase: .milliseconds(3), ticks: 60, without: [20])
        #expect(frames[19] == 19)
        #expect(frames[20] == 19)
        #expect(frames[21] == 21)
        #expect(counts.duplicated == 1)
    }

    @Test("a slate is shown after a second without frames, until the camera returns")
    func slate() {
        let (frames, counts) = shown(cameraRate: 30, phase: .zero, ticks: 150, without: Set(30..<90))
        #expect(frames[59] == 29)
        #expect(frames[60] == nil)
        #expect(frames[90] == 90)
        #expect(counts.slate == 30)
        #expect(counts.written == 150)
    }

    @Test(
        "every missing due frame is lost from the first tick on, with the cause that the source reports"
    )
    func losses() {
        var aligner = TrackAligner<Int>(start: start, rate: rate, cameraInterval: rate.interval)
        aligner.addLoss(count: 5, cause: .bus, capturedAt: start - .milliseconds(500))
        aligner.addLoss(count: 2, cause: .bus, capturedAt: start + .milliseconds(40))
        aligner.addLoss(count: 1, cause: .corrupt, capturedAt: start + .milliseconds(70))
        aligner.addLoss(count: 9, cause: .bus, capturedAt: start + .seconds(9))
        for tick in 0..<30 as Range<Int64> { _ = aligner.choose(tick: tick) }
        #expect(!aligner.finish().isEmpty)
        #expect(aligner.counts.lost == [.bus: 2, .corrupt: 1, .disconnected: 27])
    }

    @Test("frames dated five seconds ahead are shown after the correction, and do not block later ones")
    func redated() {
        var aligner = TrackAligner<Int>(start: start, rate: rate, cameraInterval: rate.interval)
        let ahead = Nanoseconds.seconds(5)
        for index in 0..<10 {
            let time = start + rate.interval * Int64(index)
            aligner.add(index, capturedAt: index < 4 ? time : time + ahead)
        }
        for tick in 0..<6 as Range<Int64> { _ = aligner.choose(tick: tick) }
        aligner.redate { index, time in index < 4 ? time : time - ahead }
        for tick in 6..<10 as Range<Int64> {
            guard case .show(let index) = aligner.choose(tick: tick) else {
                Issue.record("nothing to show at tick \(tick)")
                continue
            }
            #expect(index == Int(tick))
        }
        #expect(aligner.counts.duplicated == 2)
        // The fifth frame was corrected after its tick. The sixth frame is before the frame that is shown
        // now.
        #expect(aligner.counts.captured + aligner.counts.totalLost == 10)
    }

    @Test("a frame that arrives after its tick was decided counts as late, not as captured")
    func late() {
        var aligner = TrackAligner<Int>(start: start, rate: rate, cameraInterval: rate.interval)
        aligner.add(0, capturedAt: start)
        for tick in 0..<5 as Range<Int64> { _ = aligner.choose(tick: tick) }
        aligner.add(1, capturedAt: start + .milliseconds(33))
        #expect(aligner.counts.captured == 1)
        _ = aligner.choose(tick: 5)
        _ = aligner.finish()
        #expect(aligner.counts.lost == [.late: 1, .disconnected: 4])
    }

    /// Returns the loss cause of each tick for a camera that loses consecutive frames.
    private func causes(
        cameraRate: Double, phase: Nanoseconds, ticks: Int64, losing lost: Range<Int>, told count: Int = 1
    ) -> [LossCause?] {
        let interval = Nanoseconds.seconds(rounding: 1 / cameraRate)
        var aligner = TrackAligner<Int>(start: start, rate: rate, cameraInterval: interval)
        func time(_ index: Int) -> ClockTime {
            start + phase + Nanoseconds.seconds(rounding: Double(index) / cameraRate)
        }
        for index in 0..<Int(Double(ticks) / rate.perSecond * cameraRate) + 4 {
            if !lost.contains(index) {
                aligner.add(index, capturedAt: time(index))
            } else if (index - lost.lowerBound).isMultiple(of: count) {
                aligner.addLoss(count: count, cause: .bus, capturedAt: time(index))
            }
        }
        return (0..<ticks).map { tick in
            if case .show = aligner.choose(tick: tick) { #expect(aligner.fate == .captured) }
            // Before the first frame, a slate is shown, which always has a cause.
            return aligner.fate.isSlate ? nil : aligner.fate.cause
        }
    }

    @Test(
        "each lost frame causes a loss at exactly one tick", arguments: [-16, -8, 0, 8, 16, 18])
    func missingCause(phase: Int64) {
        for count in [1, 4] {
            let causes = causes(
                cameraRate: 30, phase: .milliseconds(phase), ticks: 60, losing: 20..<24, told: count)
            // Halfway between two ticks, the frame after the lost ones may be assigned to the earlier tick.
            let fewest = abs(phase) > 15 ? 3 : 4
            #expect((fewest...4).contains(causes.compactMap(\.self).count))
            let first = causes.firstIndex { $0 != nil }
            #expect(first.map { (19...21).contains($0) } == true)
        }
    }

    @Test(
        "ticks between the frames of a slower camera, or near another frame of a faster one, are not losses"
    )
    func otherRates() {
        // At 15 frames per second, there is a new frame only at every other tick.
        let slower = causes(cameraRate: 15, phase: .zero, ticks: 60, losing: 10..<12)
        #expect(slower.indices.filter { slower[$0] != nil } == [20, 22])
        let faster = causes(cameraRate: 60, phase: .zero, ticks: 60, losing: 20..<21)
        #expect(faster.allSatisfy { $0 == nil })
    }
}
