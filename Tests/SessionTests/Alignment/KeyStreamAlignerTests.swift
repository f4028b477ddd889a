import Media
import Testing

@testable import Session

@Suite("A copied stream's pictures")
struct KeyStreamAlignerTests {
    private static let start = ClockTime(nanoseconds: 5_000_000_000)

    private static func aligner(pictures: Range<Int64>, phase: Nanoseconds) -> KeyStreamAligner<Int64> {
        var aligner = KeyStreamAligner<Int64>(start: start, rate: FrameRate(30))
        for picture in pictures {
            let time = start + Nanoseconds(FrameRate(30).time(ofTick: picture).nanoseconds) + phase
            aligner.add(picture, isKey: picture % 10 == 0, capturedAt: time)
        }
        return aligner
    }

    @Test("begin with the last key picture at or before T0 and keep every one from there on")
    func beginning() {
        var aligner = Self.aligner(pictures: -15..<31, phase: -.milliseconds(3))
        let taken = aligner.take(before: Self.start + .seconds(1))
        #expect(taken.map(\.picture) == Array(0..<30))
        #expect(taken.map(\.tick) == Array(0..<30))
        var late = Self.aligner(pictures: -15..<31, phase: .milliseconds(3))
        #expect(late.take(before: Self.start + .seconds(1)).map(\.tick) == Array(-10..<30))
        #expect(late.counts.captured == 30)
    }

    @Test("that are nearest to the end's tick are of the recording no more, though captured before it")
    func end() {
        var aligner = Self.aligner(pictures: 0..<40, phase: -.milliseconds(10))
        let taken = aligner.take(before: Self.start + .seconds(1))
        #expect(taken.last?.tick == 29)
        #expect(aligner.counts.captured == 30)
    }

    @Test(
        "that come before any key picture are nobody's to show: the track begins with the next one, and they are lost"
    )
    func withoutKey() {
        var aligner = KeyStreamAligner<Int64>(start: Self.start, rate: FrameRate(30))
        var taken: [(picture: Int64, tick: Int64)] = []
        for picture in Int64(-5)..<30 {
            let time = Self.start + Nanoseconds(FrameRate(30).time(ofTick: picture).nanoseconds)
            aligner.add(picture, isKey: picture == 12, capturedAt: time)
            taken += aligner.take(before: time)
        }
        taken += aligner.take(before: Self.start + .seconds(1))
        #expect(taken.map(\.picture) == Array(12..<30) && taken.map(\.tick) == Array(12..<30))
        #expect(aligner.counts.captured == 18 && aligner.counts.lost == [.late: 12])
    }
}
