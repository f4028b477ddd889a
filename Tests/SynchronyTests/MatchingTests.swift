import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamSynchrony

@Suite("Matching of events")
struct MatchingTests {
    private func ms(_ value: Double) -> Nanoseconds { .seconds(rounding: value / 1000) }

    private func event(_ milliseconds: Double, _ width: Double = 0.02) -> SharpEvent {
        SharpEvent(
            earliest: MediaTime(nanoseconds: ms(milliseconds).count),
            latest: MediaTime(nanoseconds: ms(milliseconds + width).count), strength: 5)
    }

    // MARK: Intersections

    @Test("The range that most intervals contain is found; wrong intervals are ignored")
    func marzullo() {
        // This is the example from Marzullo's paper.
        let found = IntervalIntersection.mostCommon(of: [ms(8)...ms(12), ms(11)...ms(13), ms(10)...ms(12)])
        #expect(found == IntervalIntersection(range: ms(11)...ms(12), count: 3))
        let wrong = IntervalIntersection.mostCommon(of: [ms(8)...ms(12), ms(11)...ms(13), ms(14)...ms(15)])
        #expect(wrong == IntervalIntersection(range: ms(11)...ms(12), count: 2))
    }

    @Test("If several ranges are in equally many intervals, the nearest to zero is used; ends are included")
    func ties() {
        let far = [ms(-90)...ms(-80), ms(30)...ms(40)]
        #expect(IntervalIntersection.mostCommon(of: far)?.range == ms(30)...ms(40))
        let touching = [ms(0)...ms(5), ms(5)...ms(9)]
        #expect(
            IntervalIntersection.mostCommon(of: touching)
                == IntervalIntersection(range: ms(5)...ms(5), count: 2))
        #expect(IntervalIntersection.mostCommon(of: []) == nil)
    }

    @Test("Flashes at all phases of a camera's frames give its offset to a fraction of a frame")
    func phases() throws {
        var generator = SeededGenerator(seed: 12)
        let (interval, truth) = (33.333, 21.7)
        let ranges = (0..<200).map { _ in
            // The flash occurs at any time within the exposure that shows it.
            let since = generator.fraction() * interval
            return ms(truth - since)...ms(truth - since + interval)
        }
        let found = try #require(IntervalIntersection.mostCommon(of: ranges))
        #expect(found.count == 200)
        #expect(found.range.contains(ms(truth)))
        #expect(found.uncertainty < ms(1))
    }

    // MARK: Events

    @Test(
        "Claps one second apart are matched with the nearest clap",
        arguments: [-0.4, -0.033, 0, 0.12, 0.45])
    func everySecond(offset: Double) {
        let reference = (0..<60).map { event(Double($0) * 1000) }
        let other = (0..<60).map { event(Double($0) * 1000 + offset * 1000) }
        let matching = EventMatching(of: reference, and: other)
        #expect(matching.count == 60)
        #expect(matching.share == 1)
        #expect(matching.pairs.allSatisfy { $0.reference == $0.other })
        #expect(matching.pairs.allSatisfy { $0.offset.contains(ms(offset * 1000)) })
    }

    @Test("Claps four times per second are matched with the smallest offset, even if some are missing")
    func fast() {
        let reference = (0..<40).map { event(Double($0) * 250) }
        let other = (0..<40).filter { $0 % 9 != 4 }.map { event(Double($0) * 250 + 20) }
        let matching = EventMatching(of: reference, and: other)
        #expect(matching.count == other.count)
        #expect(matching.pairs.allSatisfy { $0.offset.contains(ms(20)) })
    }

    @Test("The offset shared by most pairs is used; events of only one track are not matched")
    func chance() {
        var generator = SeededGenerator(seed: 5)
        var times: [Double] = []
        for index in 0..<15 { times.append(Double(index) * 2000 + 700 * generator.fraction()) }
        let reference = times.map { event($0) } + [event(40_000), event(41_000)]
        var other = times.map { event($0 - 210) }
        for _ in 0..<8 { other.append(event(generator.fraction() * 30_000)) }
        other.sort { $0.earliest < $1.earliest }
        let matching = EventMatching(of: reference, and: other)
        #expect(matching.count == 15)
        #expect(matching.pairs.allSatisfy { $0.offset.contains(ms(-210)) })
        #expect(matching.referenceCount == 17)
        #expect(matching.otherCount == 23)
    }

    @Test("Events that drift within the tolerance have one offset; distant events do not match")
    func drift() {
        let reference = (0..<60).map { event(Double($0) * 1000) }
        let drifting = (0..<60).map { event(Double($0) * 1000.1 + 30) }
        #expect(EventMatching(of: reference, and: drifting).count == 60)
        #expect(EventMatching(of: reference, and: [event(400_000)]).pairs.isEmpty)
        #expect(EventMatching(of: [], and: drifting).share == 0)
    }
}
