import Foundation
import MulticamInterchange
import MulticamMedia
import MulticamProfiles
import MulticamSeededNoise
import MulticamSessionFolder
import MulticamTiming
import Testing

/// Randomly generated conversations with known turns, described by the levels of the microphones every 10 ms.
private struct Talk {
    /// Level of each microphone in decibels.
    var levels: [[Float]] = []
    /// The speakers' turns, as ranges of levels.
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
                // A syllable is sometimes followed by a pause between sentences.
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

@Suite("Cut by voice")
struct VoiceCutTests {
    /// A recording with one camera per person, and optionally a wide camera.
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
        "shows the speaker, or all cameras if two people or none speak, and cuts just before the voices",
        arguments: [[0, 0], [6, -9], [-12, 3]] as [[Double]])
    func conversation(gains: [Double]) throws {
        let session = try Self.session(people: 2, seconds: 40)
        let talk = Talk(people: 2, turns: Self.turns, count: 4000, seed: 3, gains: gains)
        let cut = try VoiceCut(for: session, cameras: Self.pairs(2)).cut(of: session, levels: talk.levels)
        #expect(
            cut.shots.map(\.cameras) == [
                ["cam0"], ["cam1"], ["cam0"], ["cam0", "cam1"], ["cam1"], ["cam0", "cam1"], ["cam0"],
            ])
        let wanted = [0, 9.4, 17.2, 21.5, 24, 30, 34]
        for (shot, time) in zip(cut.shots, wanted) {
            let off = session.rate.time(ofTick: shot.first).nanoseconds - Int64(time * 1e9)
            #expect(abs(off) <= 150_000_000, "\(shot)")
        }
        #expect(cut.shots.map(\.reason).contains("mic0 and mic1 speak"))
        #expect(cut.shots.map(\.reason).contains("silence"))
    }

    /// Returns the shots of the conversation after `change` has modified the manifest: start and end in
    /// seconds, and the cameras that are shown.
    private static func shots(
        wide: Bool, _ change: (inout Manifest) -> Void
    ) throws -> [(from: Double, to: Double, show: [String])] {
        let end: Int64 = 40_000_000_000
        let roles = ["cam0", "cam1"] + (wide ? ["room"] : [])
        var manifest = TestManifest.make(
            duration: end,
            tracks: roles.map { TestManifest.camera($0, duration: end) }
                + ["mic0", "mic1"].map { TestManifest.microphone($0, duration: end) })
        change(&manifest)
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        let talk = Talk(people: 2, turns: turns, count: 4000, seed: 3)
        let cut = try VoiceCut(for: session, cameras: pairs(2)).cut(of: session, levels: talk.levels)
        #expect(cut.shots.allSatisfy { $0.end - $0.first >= 60 }, "\(cut.shots)")
        return cut.shots.map { (Double($0.first) / 30, Double($0.end) / 30, $0.cameras) }
    }

    private static func gap(_ track: String, _ from: Double, _ to: Double, cause: String = "unplugged") -> Gap
    {
        Gap(
            track: track, from: MediaTime(nanoseconds: Int64(from * 1e9)),
            to: MediaTime(nanoseconds: Int64(to * 1e9)), cause: cause)
    }

    @Test(
        "shows the wide shot while the speaker's camera is disconnected or silent, and then the speaker's camera again",
        arguments: ["unplugged", "silent"])
    func outage(cause: String) throws {
        // The person at cam1 speaks from 9.4 to 17 s.
        let shots = try Self.shots(wide: true) { $0.gaps = [Self.gap("cam1", 11.5, 14.5, cause: cause)] }
        let around = shots.filter { $0.to > 9.5 && $0.from < 17 }
        #expect(around.map(\.show) == [["cam1"], ["room"], ["cam1"]], "\(shots)")
        #expect(around.count == 3 && abs(around[1].from - 11.5) < 0.05 && abs(around[1].to - 14.5) < 0.05)
        // An outage of half a second doesn't cause a cut.
        let short = try Self.shots(wide: true) { $0.gaps = [Self.gap("cam1", 12, 12.5)] }
        #expect(short.filter { $0.to > 9.5 && $0.from < 17 }.map(\.show) == [["cam1"]], "\(short)")
    }

    @Test(
        "never shows a camera with only identical or black pictures, nor one without a track",
        arguments: [.frozen, .black, nil] as [Manifest.Device.Content?], [true, false])
    func empty(content: Manifest.Device.Content?, wide: Bool) throws {
        let shots = try Self.shots(wide: wide) { manifest in
            for index in manifest.devices.indices where manifest.devices[index].role == "cam1" {
                manifest.devices[index].content = content
            }
            if content == nil {
                for index in manifest.tracks.indices where manifest.tracks[index].name == "cam1" {
                    manifest.tracks[index].duration_ns = 1_000_000_000
                }
            }
        }
        let late = shots.filter { $0.from >= 1 }
        #expect(!late.contains { $0.show.contains("cam1") } && !late.isEmpty, "\(shots)")
        #expect(shots.contains { $0.show == ["cam0"] })
        if wide { #expect(shots.contains { $0.show == ["room"] && $0.from < 12 && $0.to > 12 }, "\(shots)") }
    }

    @Test("keeps the previous camera if the wide shot lacks a picture too")
    func previous() throws {
        let shots = try Self.shots(wide: true) {
            $0.gaps = [Self.gap("cam1", 9, 17), Self.gap("room", 0, 40)]
        }
        #expect(shots.filter { $0.to > 1 && $0.from < 20 }.map(\.show) == [["cam0"]], "\(shots)")
    }

    @Test("omits a disconnected camera from a grid")
    func grid() throws {
        // The microphone is silent from 30 to 34 s.
        let shots = try Self.shots(wide: false) { $0.gaps = [Self.gap("cam1", 30, 40)] }
        #expect(!shots.contains { $0.from >= 30 && $0.show.contains("cam1") }, "\(shots)")
        #expect(shots.contains { $0.show == ["cam0", "cam1"] && $0.to < 26 }, "\(shots)")
    }

    @Test("doesn't follow a microphone while it is muted in the program")
    func muted() throws {
        func arrangement(_ second: Double, _ gain: Double?) -> Manifest.Arrangement {
            Manifest.Arrangement(
                at_ns: Int64(second * 1e9), layout: .grid,
                layers: [TestManifest.layer("cam0", (x: 0, y: 0, width: 640, height: 360))],
                gains: ["mic0": 0, "mic1": gain])
        }
        let shots = try Self.shots(wide: true) {
            $0.arrangements = [arrangement(0, 0), arrangement(5, nil), arrangement(19, 0)]
        }
        #expect(!shots.contains { $0.show == ["cam1"] && $0.from < 19 }, "\(shots)")
        #expect(shots.contains { $0.show == ["cam1"] && $0.from > 19 }, "\(shots)")
        // A microphone that was never in the program doesn't count as muted.
        let unmixed = try Self.shots(wide: true) { $0.arrangements = [arrangement(0, nil)] }
        #expect(unmixed.contains { $0.show == ["cam1"] && $0.from < 19 }, "\(unmixed)")
    }

    @Test("separates two speakers by their own microphones while a third microphone is muted")
    func mutedThird() throws {
        let end: Int64 = 40_000_000_000
        let turns = (0..<10).map { (who: $0 % 2, range: (100 + $0 * 380)..<(460 + $0 * 380)) }
        let talk = Talk(people: 3, turns: turns, count: 4000, seed: 5)
        var manifest = TestManifest.make(
            duration: end,
            tracks: (0..<3).map { TestManifest.camera("cam\($0)", duration: end) }
                + (0..<3).map { TestManifest.microphone("mic\($0)", duration: end) })
        manifest.arrangements = [(0, 0), (500_000_000, nil)].map { at, third in
            Manifest.Arrangement(
                at_ns: at, layout: .grid,
                layers: [TestManifest.layer("cam0", (x: 0, y: 0, width: 640, height: 360))],
                gains: ["mic0": 0, "mic1": 0, "mic2": third])
        }
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        let cut = try VoiceCut(for: session, cameras: Self.pairs(3)).cut(of: session, levels: talk.levels)
        for turn in turns {
            let middle = (turn.range.lowerBound + turn.range.upperBound) / 2 * 30 / 100
            let shot = try #require(cut.shots.first { $0.first <= middle && middle < $0.end })
            #expect(shot.cameras == ["cam\(turn.who)"], "\(cut.shots)")
        }
    }

    @Test("live, any usable camera replaces the speaker's and the wide shot")
    func anyCamera() {
        let shots = VoiceShots(cameras: ["a"], all: ["a", "room", "shelf"])
        #expect(shots.shown("a", without: ["a", "room"], previous: ["room"]) == ["shelf"])
        #expect(shots.shown("a", without: ["a"], previous: ["a"]) == ["room"])
        #expect(shots.shown("a", without: ["a", "room", "shelf"], previous: []) == ["a"])
    }

    @Test(
        "contains no shot below the minimum length, even if people interrupt each other",
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
            voice.minShot = .seconds(seconds)
            let cut = voice.cut(of: session, levels: talk.levels)
            #expect(cut.shots.last?.end == session.frameCount && cut.shots.first?.first == 0)
            #expect(cut.shots.allSatisfy { $0.end - $0.first >= min(30 * seconds, session.frameCount) })
        }
    }

    @Test(
        "cuts only at the start or end of speech, even if a voice is shorter than a shot"
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

    @Test("shows the camera without a microphone if several people or none speak")
    func wideCamera() throws {
        let session = try Self.session(people: 2, seconds: 40, wide: true)
        let talk = Talk(people: 2, turns: Self.turns, count: 4000, seed: 5)
        let cut = try VoiceCut(for: session, cameras: Self.pairs(2)).cut(of: session, levels: talk.levels)
        #expect(Set(cut.shots.map(\.cameras)) == [["cam0"], ["cam1"], ["room"]])
        #expect(cut.shots.allSatisfy { $0.layout == .single })
    }

    @Test("isn't misled by a guest who never speaks, nor by microphones without audio")
    func silentGuest() throws {
        let session = try Self.session(people: 2, seconds: 40)
        let voice = try VoiceCut(for: session, cameras: Self.pairs(2))
        let alone = Talk(people: 2, turns: [(1, 100..<3900)], count: 4000, seed: 7)
        #expect(voice.cut(of: session, levels: alone.levels).shots.map(\.cameras) == [["cam1"]])
        let nothing = voice.cut(of: session, levels: [[], []])
        #expect(nothing.shots.map(\.cameras) == [["cam0", "cam1"]] && nothing.shots[0].reason == "silence")
        let odd = [Float](repeating: .nan, count: 4000)
        #expect(!voice.cut(of: session, levels: [odd, odd]).shots.isEmpty)
    }

    @Test("reports missing camera assignments and unknown roles")
    func asks() throws {
        let session = try Self.session(people: 2, seconds: 1)
        func words(_ pairs: [String: String]) -> String {
            let error = #expect(throws: CutError.self) { _ = try VoiceCut(for: session, cameras: pairs) }
            return error?.description ?? ""
        }
        #expect(
            words(["mic0": "cam0"]).hasPrefix(
                "no camera is assigned to microphone mic1. Specify `--speaker mic1=cam0`"))
        #expect(words(["nobody": "cam0"]).contains("no track found for microphone `nobody`"))
        #expect(words(["mic0": "nothing"]).contains("no track found for camera `nothing`"))
        let alone = try Self.session(people: 1, seconds: 1)
        #expect(throws: CutError.self) { _ = try VoiceCut(for: alone, cameras: Self.pairs(1)) }
    }

    @Test("measures voices instead of rumble or hiss, each band separately, and fills gaps")
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
