import Foundation
import Interchange
import Media
import Testing

@Suite("A voice that is followed live")
struct LiveTalkTests {
    /// Levels of two who take turns from one time to another, in levels of 10 ms.
    private static func levels(_ time: Int, _ turns: [(who: Int, range: Range<Int>)]) -> [Float] {
        let voice: Float = time % 25 < 20 ? -24 : -45
        let speaking = turns.filter { $0.range.contains(time) }.map(\.who)
        return (0..<2).map { one in
            let noise: Float = -55 + Float(time % 7) / 4
            guard !speaking.isEmpty else { return noise }
            return max(noise, speaking.contains(one) ? voice : voice - 12)
        }
    }

    private static func choices(
        _ turns: [(who: Int, range: Range<Int>)], shortest: Nanoseconds = .seconds(1), until end: Int
    ) -> [(time: Int, choice: LiveVoice.Choice)] {
        var live = LiveVoice(microphones: 2, shortest: shortest)
        return (0..<end).compactMap { time in live.add(levels(time, turns)).map { (time, $0) } }
    }

    @Test("is shown within 700 ms, and so is that several speak or nobody does")
    func follows() {
        let turns = [
            (who: 0, range: 200..<600), (who: 1, range: 600..<1000), (who: 0, range: 1000..<1500),
            (who: 1, range: 1300..<1500),
        ]
        let choices = Self.choices(turns, until: 1800)
        #expect(choices.map(\.choice) == [.speaker(0), .speaker(1), .speaker(0), .several])
        for (choice, time) in zip(choices, [200, 600, 1000, 1300]) {
            #expect((0...70).contains(choice.time - time), "\(choice)")
        }
        #expect(
            Self.choices([(who: 1, range: 100..<500)], until: 700).map(\.choice) == [.speaker(1), .nobody])
    }

    @Test("is not cut to for a word, nor before the shot is as long as asked")
    func patience() {
        let word = [(who: 0, range: 100..<1000), (who: 1, range: 400..<420)]
        #expect(Self.choices(word, until: 1000).map(\.choice) == [.speaker(0)])
        let quick = (0..<20).map { (who: $0 % 2, range: 100 + $0 * 80..<180 + $0 * 80) }
        let choices = Self.choices(quick, shortest: .seconds(3), until: 1800)
        #expect(zip(choices, choices.dropFirst()).allSatisfy { $1.time - $0.time >= 300 })
    }

    @Test("is found whatever the levels are")
    func oddLevels() {
        var live = LiveVoice(microphones: 2, shortest: .zero)
        for level in [Float.nan, .infinity, -.infinity, 0, -200, 1e30] {
            for _ in 0..<200 { _ = live.add([level]) }
        }
        var nobody = LiveVoice(microphones: 0, shortest: .seconds(1))
        #expect(nobody.add([]) == nil)
    }
}
