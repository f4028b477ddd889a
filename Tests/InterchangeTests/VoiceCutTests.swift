import Foundation
import Interchange
import Media
import Profiles
import SeededNoise
import SessionFolder
import Testing

/// Conversations as levels of microphones every 10 ms, made by chance, whose truth is known.
private struct Talk {
    /// Level of each microphone in decibels.
    var levels: [[Float]] = []
    /// Who speaks from when to when, in levels.
    var turns: [(who: Int, range: Range<Int>)] = []

    init(
        people: Int, turns: [(who: Int, range: Range<Int>)], count: Int, seed: UInt64, leak: Double = -12,
        gains: [Double] = [], noise: Double = -55
    ) {
        var generator = SeededGenerator(seed: seed)
        func chance() -> Double { Double(generator.next() % 10_000) / 10_000 }
        self.turns = turns
        var own = (0..<people).map { _ in [Double](repeating: 0, count: count) }
        for turn in turns {
            var time = turn.range.lowerBound
            while time < turn.range.upperBound {
                // A syllable, now and then a pause between sentences.
                let length = 12 + Int(chance() * 20)
                let level = -24 + 8 * chance()
                for step in time..<min(turn.range.upperBound, time + length) {
                    own[turn.who][step] += pow(10, (level + 6 * chance() - 3) / 10)
                }
                time += length + (chance() < 0.06 ? 40 : 3)
            }
            own[turn.who][turn.range.lowerBound] += 0.01
            own[turn.who][turn.range.upperBound - 1] += 0.01
        }
        for one in 0..<people {
            levels.append(
                (0..<count).map { time in
                    var power = pow(10, (noise + 2 * chance()) / 10)
                    for other in 0..<people {
                        power += own[other][time] * (one == other ? 1 : pow(10, (leak + chance() - 0.5) / 10))
                    }
                    return Float(10 * log10(power) + (gains.isEmpty ? 0 : gains[one]))
                })
        }
    }
}

@Suite("A cut by voice")
struct VoiceCutTests {
    /// A recording of so many people with a camera each, and an empty chair's camera where one is asked for.
    private static func session(people: Int, seconds: Int64, wide: Bool = false) throws -> RecordedSession {
        let end = seconds * 1_000_000_000
        let roles = (0..<people).map { "cam\($0)" } + (wide ? ["room"] : [])
        let manifest = TestManifest.make(
            duration: end,
            tracks: roles.map { TestManifest.camera($0, duration: end) }
                + (0..<people).map { TestManifest.microphone("mic\($0)", duration: end) })
        return try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
    }

    private static func pairs(_ people: Int) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (0..<people).map { ("mic\($0)", "cam\($0)") })
    }

    private static let turns = [
        (0, 150..<900), (1, 940..<1700), (0, 1720..<2400), (1, 2150..<3000), (0, 3400..<3950),
    ]
    .map { (who: $0.0, range: $0.1) }

    @Test(
        "shows who speaks, everybody where two do or nobody, and cuts just before the voices",
        arguments: [[0, 0], [6, -9], [-12, 3]] as [[Double]])
    func conversation(gains: [Double]) throws {
        let session = try Self.session(people: 2, seconds: 40)
        let talk = Talk(people: 2, turns: Self.turns, count: 4000, seed: 3, gains: gains)
        let cut = try VoiceCut(for: session, cameras: Self.pairs(2)).cut(of: session, levels: talk.levels)
        #expect(
            cut.shots.map(\.show) == [
                ["cam0"], ["cam1"], ["cam0"], ["cam0", "cam1"], ["cam1"], ["cam0", "cam1"], ["cam0"],
            ])
        let wanted = [0, 9.4, 17.2, 21.5, 24, 30, 34]
        for (shot, time) in zip(cut.shots, wanted) {
            let off = session.rate.time(ofTick: shot.first).nanoseconds - Int64(time * 1e9)
            #expect(abs(off) <= 150_000_000, "\(shot)")
        }
        #expect(cut.shots.map(\.why).contains("mic0 and mic1 speak"))
        #expect(cut.shots.map(\.why).contains("nobody speaks"))
    }

    @Test(
        "has no shot shorter than asked, however people interrupt each other",
        arguments: [1, 2, 3, 4, 5] as [UInt64])
    func shortest(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var turns: [(who: Int, range: Range<Int>)] = []
        var time = 50
        while time < 5500 {
            let length = 20 + Int(generator.next() % 300)
            turns.append((Int(generator.next() % 3), time..<time + length))
            time += length - 30 + Int(generator.next() % 120)
        }
        let talk = Talk(people: 3, turns: turns, count: 6000, seed: seed)
        let session = try Self.session(people: 3, seconds: 60)
        for seconds: Int64 in [1, 3, 8, 100] {
            var voice = try VoiceCut(for: session, cameras: Self.pairs(3))
            voice.shortest = .seconds(seconds)
            let cut = voice.cut(of: session, levels: talk.levels)
            #expect(cut.shots.last?.end == session.frameCount && cut.shots.first?.first == 0)
            #expect(cut.shots.allSatisfy { $0.end - $0.first >= min(30 * seconds, session.frameCount) })
        }
    }

    @Test(
        "cuts only where somebody begins or ends to speak, also where a voice goes on for less than a shot alone"
    )
    func cutsAtVoices() throws {
        let turns = [(1, 50..<1000), (0, 1041..<1760), (1, 1407..<1846), (0, 1882..<2245)]
            .map { (who: $0.0, range: $0.1) }
        let talk = Talk(people: 2, turns: turns, count: 2400, seed: 28)
        let session = try Self.session(people: 2, seconds: 24)
        let cut = try VoiceCut(for: session, cameras: Self.pairs(2)).cut(of: session, levels: talk.levels)
        let borders = turns.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
        #expect(cut.shots.count >= 4)
        for shot in cut.shots.dropFirst() {
            let level = Int(session.rate.time(ofTick: shot.first).nanoseconds / 10_000_000)
            #expect(borders.contains { abs($0 - level) <= 15 }, "\(shot)")
        }
    }

    @Test("shows the camera that no microphone belongs to where several speak or nobody does")
    func wideCamera() throws {
        let session = try Self.session(people: 2, seconds: 40, wide: true)
        let talk = Talk(people: 2, turns: Self.turns, count: 4000, seed: 5)
        let cut = try VoiceCut(for: session, cameras: Self.pairs(2)).cut(of: session, levels: talk.levels)
        #expect(Set(cut.shots.map(\.show)) == [["cam0"], ["cam1"], ["room"]])
        #expect(cut.shots.allSatisfy { $0.layout == "single" })
    }

    @Test("is not misled by a guest who never says a word, nor by microphones without any audio")
    func silentGuest() throws {
        let session = try Self.session(people: 2, seconds: 40)
        let voice = try VoiceCut(for: session, cameras: Self.pairs(2))
        let alone = Talk(people: 2, turns: [(1, 100..<3900)], count: 4000, seed: 7)
        #expect(voice.cut(of: session, levels: alone.levels).shots.map(\.show) == [["cam1"]])
        let nothing = voice.cut(of: session, levels: [[], []])
        #expect(nothing.shots.map(\.show) == [["cam0", "cam1"]] && nothing.shots[0].why == "nobody speaks")
        let odd = [Float](repeating: .nan, count: 4000)
        #expect(!voice.cut(of: session, levels: [odd, odd]).shots.isEmpty)
    }

    @Test("asks where nobody said which camera shows whom, and says what is not there")
    func asks() throws {
        let session = try Self.session(people: 2, seconds: 1)
        func words(_ pairs: [String: String]) -> String {
            let error = #expect(throws: CutError.self) { _ = try VoiceCut(for: session, cameras: pairs) }
            return error?.description ?? ""
        }
        #expect(
            words(["mic0": "cam0"]).hasPrefix(
                "which camera shows who speaks into mic1? Say `--speaker mic1=cam0`"))
        #expect(words(["nobody": "cam0"]).contains("no track of a microphone `nobody`"))
        #expect(words(["mic0": "nothing"]).contains("no track of a camera `nothing`"))
        let alone = try Self.session(people: 1, seconds: 1)
        #expect(throws: CutError.self) { _ = try VoiceCut(for: alone, cameras: Self.pairs(1)) }
    }

    @Test("measures voices, not rumble or hiss, each band by itself, and fills what was not recorded")
    func meter() {
        func powers(_ hertz: Double) -> VoiceMeter.Powers {
            var meter = VoiceMeter()
            meter.add((0..<48_000).map { Float(0.1 * sin(2 * .pi * hertz * Double($0) / 48_000)) })
            return meter.powers[50]
        }
        #expect(abs(VoiceMeter.level(of: powers(1000)) + 23.3) < 1)
        #expect(VoiceMeter.level(of: powers(30)) < -33 && VoiceMeter.level(of: powers(15_000)) < -33)
        for (band, hertz) in [197, 326, 504, 755, 1114, 1643, 2449, 3795].enumerated() {
            let powers = powers(Double(hertz))
            #expect(abs(powers[band] - 0.005) < 0.0002 && powers.max() == powers[band])
        }
        var meter = VoiceMeter()
        meter.add([Float.nan, .infinity])
        meter.skip(to: MediaTime(nanoseconds: 1_000_000_000))
        #expect(meter.count == 100 && VoiceMeter.level(of: meter.powers[99]) == VoiceMeter.silence)
    }
}
