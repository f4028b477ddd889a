import Foundation
import MulticamInterchange
import MulticamMedia
import Testing

@Suite("Live switching by voice")
struct LiveTalkTests {
    private static func powers(_ levels: [Float]) -> VoiceMeter.Powers {
        var powers = VoiceMeter.Powers.zero
        for (band, level) in levels.enumerated() { powers[band] = pow(10, level / 10) }
        return powers
    }

    /// Returns equal power in all bands.
    private static func powers(_ level: Float) -> VoiceMeter.Powers {
        powers([Float](repeating: level, count: 8))
    }

    /// Returns the levels of two people with the given turns, one level every 10 ms.
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
        _ turns: [(who: Int, range: Range<Int>)], minShot: Nanoseconds = .seconds(1), until end: Int
    ) -> [(time: Int, choice: VoiceSwitcher.Choice)] {
        var live = VoiceSwitcher(microphones: 2, minShot: minShot)
        return (0..<end).compactMap { time in live.add(levels(time, turns).map(powers)).map { (time, $0) } }
    }

    @Test("a meter that starts two hours after T0 has no powers from before its start")
    func lateStart() {
        let start = MediaTime(nanoseconds: 7_200_000_000_000)
        var meter = VoiceMeter()
        meter.begin(at: start)
        #expect(meter.count == 720_000 && meter.droppedCount == 720_000)
        meter.skip(to: start)
        meter.add([Float](repeating: 0.1, count: 960))
        #expect(meter.powers.count == 2 && meter.count == 720_002)
        meter.begin(at: .zero)
        #expect(meter.count == 720_002)
    }

    @Test("one speaker and several speakers are detected within 700 ms, and silence within 2 s")
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
            Self.choices([(who: 1, range: 100..<500)], until: 700).map(\.choice) == [.speaker(1), .silence])
    }

    @Test("a pause of 1.5 s between two turns isn't shown as a shot of all people")
    func pause() {
        let turns = [(who: 0, range: 100..<400), (who: 1, range: 550..<900), (who: 0, range: 1050..<1300)]
        #expect(Self.choices(turns, until: 1300).map(\.choice) == [.speaker(0), .speaker(1), .speaker(0)])
    }

    @Test("after silence, the next speaker is shown before the shot of all people has the minimum length")
    func afterSilence() {
        let turns = [(who: 0, range: 100..<400), (who: 1, range: 600..<900)]
        let choices = Self.choices(turns, minShot: .seconds(3), until: 900)
        #expect(choices.map(\.choice) == [.speaker(0), .silence, .speaker(1)])
        #expect(choices.last.map { (600...670).contains($0.time) } == true)
    }

    @Test(
        "several speakers are detected within 700 ms, even if mostly the louder syllable is audible"
    )
    func masked() {
        var live = VoiceSwitcher(microphones: 2, minShot: .seconds(1))
        let choices = (0..<1600).compactMap { time -> (time: Int, choice: VoiceSwitcher.Choice)? in
            // Both people speak from 1400 on. Alternately, both are audible for 40 ms, and only one of them
            // for 220 ms.
            let place = (time - 1400) % 52
            let heard: [Int] =
                switch time {
                case ..<200: []
                case ..<600, 1000..<1400: [0]
                case ..<1000: [1]
                default: place % 26 < 4 ? [0, 1] : place < 26 ? [1] : [0]
                }
            let levels: [Float] = (0..<2).map { heard.isEmpty ? -55 : heard.contains($0) ? -24 : -36 }
            return live.add(levels.map(Self.powers)).map { (time, $0) }
        }
        #expect(choices.map(\.choice) == [.speaker(0), .speaker(1), .speaker(0), .several])
        #expect(choices.last.map { (1400...1460).contains($0.time) } == true)
    }

    @Test("a voice continues through a pause with sounds barely above the noise")
    func quiet() {
        var live = VoiceSwitcher(microphones: 2, minShot: .seconds(1))
        let choices = (0..<900).compactMap { time -> VoiceSwitcher.Choice? in
            var level = Self.levels(time, [(who: 0, range: 200..<500), (who: 0, range: 565..<900)])
            if 500..<520 ~= time { level[0] += 3 }
            return live.add(level.map(Self.powers))
        }
        #expect(choices == [.speaker(0)])
    }

    @Test("a soft voice is detected during a louder one, even if it is louder only in a few bands")
    func soft() {
        let (deep, soft): ([Float], [Float]) = (
            [-24, -24, -24, -24, -40, -40, -40, -40], [-39, -39, -39, -39, -37, -37, -37, -37]
        )
        func mixed(_ own: [Float], _ other: [Float]) -> VoiceMeter.Powers {
            Self.powers(own) + Self.powers(other) / 16 + Self.powers(-70)
        }
        let none = [Float](repeating: -90, count: 8)
        var live = VoiceSwitcher(microphones: 2, minShot: .seconds(1))
        let choices = (0..<1700).compactMap { time -> (time: Int, choice: VoiceSwitcher.Choice)? in
            let first = 200..<600 ~= time || time >= 1000 ? deep : none
            let second = 600..<1000 ~= time || time >= 1400 ? soft : none
            return live.add([mixed(first, second), mixed(second, first)]).map { (time, $0) }
        }
        #expect(choices.map(\.choice) == [.speaker(0), .speaker(1), .speaker(0), .several])
        #expect(choices.last.map { (1400...1460).contains($0.time) } == true)
    }

    @Test("a voice continues if noise masks all but one band")
    func hidden() {
        var live = VoiceSwitcher(microphones: 1, minShot: .seconds(1))
        let noise: [Float] = [-30, -30, -30, -30, -30, -30, -30, -60]
        let choices = (0..<900).compactMap { time -> (time: Int, choice: VoiceSwitcher.Choice)? in
            var levels = noise
            if 200..<400 ~= time { levels = noise.map { $0 + 20 } }
            if 400..<700 ~= time { levels[7] += 4 }
            return live.add([Self.powers(levels)]).map { (time, $0) }
        }
        #expect(choices.map(\.choice) == [.speaker(0), .silence])
        #expect(choices.last.map { $0.time >= 700 } == true)
    }

    @Test("room echo isn't mistaken for a second voice")
    func echo() {
        var live = VoiceSwitcher(microphones: 2, minShot: .seconds(1))
        var chance: UInt32 = 1
        var scatter = [Float](repeating: 0, count: 8)
        let choices = (0..<2400).compactMap { time -> VoiceSwitcher.Choice? in
            let who = time / 600 % 2
            // The crosstalk varies by ±5 dB every 100 ms.
            for band in scatter.indices where time % 10 == 0 {
                chance = chance &* 1_664_525 &+ 1_013_904_223
                scatter[band] = Float(chance >> 16) / 6554 - 5
            }
            let levels = (0..<2).map { one in
                scatter.map { time < 100 ? Float(-70) : one == who ? -24 : -36 + $0 }
            }
            return live.add(levels.map(Self.powers))
        }
        #expect(choices == [.speaker(0), .speaker(1), .speaker(0), .speaker(1)])
    }

    @Test("a single word doesn't cause a cut, and shots have at least the minimum length")
    func patience() {
        let word = [(who: 0, range: 100..<1000), (who: 1, range: 400..<420)]
        #expect(Self.choices(word, until: 1000).map(\.choice) == [.speaker(0)])
        let quick = (0..<20).map { (who: $0 % 2, range: 100 + $0 * 80..<180 + $0 * 80) }
        let choices = Self.choices(quick, minShot: .seconds(3), until: 1800)
        #expect(zip(choices, choices.dropFirst()).allSatisfy { $1.time - $0.time >= 300 })
    }

    /// Cuts the conversations that `voice_test.py --make` wrote to the folder in `MULTICAM_TALKS`. Each
    /// result is saved as `live.json`.
    @Test(
        "the cut follows synthetic conversations, as verified by voice_test.py",
        .enabled(if: ProcessInfo.processInfo.environment["MULTICAM_TALKS"] != nil))
    func talks() throws {
        struct Shown: Encodable {
            let at_ns: Int64
            let show: [String]
        }
        let place = URL(
            fileURLWithPath: try #require(ProcessInfo.processInfo.environment["MULTICAM_TALKS"]))
        for folder in try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
        {
            var powers: [[VoiceMeter.Powers]] = []
            while FileManager.default.fileExists(atPath: folder.path + "/mic\(powers.count).wav") {
                powers.append(try Self.powers(of: folder.appending(path: "mic\(powers.count).wav")))
            }
            let all = powers.indices.map { "cam\($0)" }
            var shown = [Shown(at_ns: 0, show: all)]
            // The session uses this value for shots of one second.
            var live = VoiceSwitcher(microphones: powers.count, minShot: .milliseconds(1100))
            for time in 0..<(powers.map(\.count).min() ?? 0) {
                guard let choice = live.add(powers.map { $0[time] }) else { continue }
                var show = all
                if case .speaker(let index) = choice { show = [all[index]] }
                shown.append(Shown(at_ns: Int64(time + 1) * 10_000_000, show: show))
            }
            try JSONEncoder().encode(shown).write(to: folder.appending(path: "live.json"))
        }
    }

    /// Returns the powers of a mono 16-bit file at 48 kHz with a 44-byte header.
    private static func powers(of file: URL) throws -> [VoiceMeter.Powers] {
        let bytes = [UInt8](try Data(contentsOf: file).dropFirst(44))
        var meter = VoiceMeter()
        meter.add(
            stride(from: 0, to: bytes.count - 1, by: 2).lazy.map { place in
                Float(Int16(truncatingIfNeeded: Int(bytes[place]) | Int(bytes[place + 1]) << 8)) / 32768
            })
        return meter.powers
    }

    @Test("extreme and invalid levels don't cause a crash")
    func oddLevels() {
        var live = VoiceSwitcher(microphones: 2, minShot: .zero)
        for level in [Float.nan, .infinity, -.infinity, 0, -200, 1e30] {
            for _ in 0..<200 { _ = live.add([VoiceMeter.Powers(repeating: level)]) }
        }
        var nobody = VoiceSwitcher(microphones: 0, minShot: .seconds(1))
        #expect(nobody.add([]) == nil)
    }
}
