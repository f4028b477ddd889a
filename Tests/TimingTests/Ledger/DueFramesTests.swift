import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamTiming

@Suite("Due frames")
struct DueFramesTests {
    private static let start = ClockTime(nanoseconds: 10_000_000_000)
    private static let interval = FrameRate(30).interval

    /// Returns a ledger that has processed frames at the given times up to `end`. All times are in frame
    /// intervals.
    private static func ledger(
        frames: [Double], end: Double, prepare: (inout DueFrames) -> Void = { _ in }
    ) -> DueFrames {
        var due = DueFrames(interval: interval)
        due.begin(at: start)
        prepare(&due)
        var rest = frames[...]
        for tick in 0..<Int(end) {
            while let first = rest.first, first <= Double(tick) + 0.5 {
                due.recordFrame(at: time(first))
                rest.removeFirst()
            }
            due.countOverdue(until: time(Double(tick)), waiting: rest.first.map(time))
        }
        due.finish(at: time(end - 0.5))
        return due
    }

    private static func time(_ intervals: Double) -> ClockTime {
        start + Nanoseconds(Int64(rounding: intervals * Double(interval.count)))
    }

    @Test("missing frames are lost: at the start, in the middle, and at the end")
    func silence() {
        #expect(Self.ledger(frames: [], end: 90).lost == [.disconnected: 90])
        #expect(Self.ledger(frames: (0..<30).map(Double.init), end: 90).lost == [.disconnected: 60])
        #expect(Self.ledger(frames: (60..<90).map(Double.init), end: 90).lost == [.disconnected: 60])
        let middle = (0..<20).map(Double.init) + (50..<90).map { Double($0) + 0.3 }
        #expect(Self.ledger(frames: middle, end: 90).lost == [.disconnected: 30])
    }

    @Test(
        "losses of a camera slower than negotiated are exact", arguments: [7.5, 10, 12, 15, 20, 24, 25, 28])
    func slow(rate: Double) {
        let count = Int(rate * 100)
        let frames = (0..<count).map { Double($0) * 30 / rate }
        let due = Self.ledger(frames: frames, end: 3000)
        let lost = due.lost[.disconnected] ?? 0
        #expect(abs(count + lost - 3000) <= 2, "\(lost)")
    }

    @Test(
        "an inaccurate crystal does not cause losses, because the measured interval is used",
        arguments: [-0.04, -0.001, 0.001, 0.03])
    func drift(off: Double) {
        let frames = (0..<100_000).map { Double($0) * (1 + off) }
        let measured = Nanoseconds(Int64(rounding: Double(Self.interval.count) * (1 + off)))
        let due = Self.ledger(frames: frames, end: 100_000 * (1 + min(off, 0)) - 1) {
            $0.updateInterval(measured: measured)
        }
        #expect(due.lost.isEmpty)
    }

    @Test("jitter of the capture times does not cause losses")
    func jitter() {
        var generator = SeededGenerator(seed: 7)
        let frames = (0..<20_000).map { Double($0) + Double.random(in: -0.2...0.2, using: &generator) }
        #expect(Self.ledger(frames: frames, end: 20_000).lost.isEmpty)
    }

    @Test(
        "losses have the cause reported before or after them; reports by themselves do not add losses"
    )
    func causes() {
        let frames = (0..<20).map(Double.init) + (30..<90).map(Double.init)
        let before = Self.ledger(frames: frames, end: 90) {
            $0.recordLoss(count: 4, cause: .bus, at: Self.time(20))
            $0.recordLoss(count: 6, cause: .driver, at: Self.time(24))
            $0.recordLoss(count: 50, cause: .bus, at: Self.time(40))
        }
        #expect(before.lost == [.bus: 4, .driver: 6])
        var after = DueFrames(interval: Self.interval)
        after.begin(at: Self.start)
        for frame in 0..<20 { after.recordFrame(at: Self.time(Double(frame))) }
        after.countOverdue(until: Self.time(35))
        #expect(after.lost == [.disconnected: 15])
        after.recordLoss(count: 15, cause: .network, at: Self.time(20))
        after.recordFrame(at: Self.time(36))
        #expect(after.lost == [.network: 15, .disconnected: 1])
        let outage = Self.ledger(frames: frames, end: 90) {
            $0.beginOutage(at: Self.time(20), cause: .reconfigured)
            $0.endOutage(at: Self.time(30))
        }
        #expect(outage.lost == [.reconfigured: 10])
    }

    @Test(
        "captured and lost frames never exceed the due frames, and counts are never negative")
    func property() {
        for seed in UInt64(0)..<300 {
            var generator = SeededGenerator(seed: seed)
            func random(_ range: ClosedRange<Double>) -> Double {
                Double.random(in: range, using: &generator)
            }
            var (frames, next) = ([Double](), random(-0.4...0.5))
            while next < 300 {
                if random(0...1) < 0.9 { frames.append(next + random(-0.05...0.05)) }
                next += random(0...1) < 0.02 ? (random(1...50)).rounded() : 1
            }
            let due = Self.ledger(frames: frames, end: 300) { due in
                for _ in 0..<10 {
                    due.recordLoss(
                        count: Int(random(0...20)),
                        cause: LossCause.allCases[Int(random(0...Double(LossCause.allCases.count - 1)))],
                        at: Self.time(random(-10...310)))
                }
            }
            let captured = frames.count { $0 >= -0.5 && $0 < 299.5 }
            #expect(captured + due.lost.values.reduce(0, +) <= 301, "seed \(seed)")
            #expect(captured + due.lost.values.reduce(0, +) >= 298, "seed \(seed)")
            #expect(due.lost.values.allSatisfy { $0 > 0 }, "seed \(seed)")
        }
    }

    @Test("for a source without a frame clock, only reported losses count")
    func unpaced() {
        var due = DueFrames(interval: Self.interval, isPaced: false)
        due.begin(at: Self.start)
        for frame in [0.0, 7, 8, 40] { due.recordFrame(at: Self.time(frame)) }
        due.recordLoss(count: 2, cause: .corrupt, at: Self.time(41))
        due.countOverdue(until: Self.time(60))
        due.finish(at: Self.time(90))
        #expect(due.lost == [.corrupt: 2])
    }
}
