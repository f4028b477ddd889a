import Media
import Testing

@testable import Profiles
@testable import SessionFolder
@testable import Timing

@Suite("The verdict on a recording")
struct VerdictTests {
    private static func camera(_ name: String, lost: [String: Int] = [:], failure: String? = nil)
        -> Manifest.Track
    {
        Manifest.Track(
            name: name, kind: "camera", file: "cameras/\(name).mov", stream: 0, codec: "mjpeg", first_ns: 0,
            duration_ns: 10_000_000_000,
            frames: Manifest.Frames(
                written: 300, captured: 300 - lost.values.reduce(0, +), skipped: 0, repeated: 0, slate: 0,
                lost: lost), failure: failure)
    }

    private static func program(lost: [String: Int] = [:]) -> Manifest.Track {
        var track = camera("program", lost: lost)
        track.kind = "program"
        track.file = "program.mp4"
        return track
    }

    private static func microphone(_ name: String, filled: Int64 = 0) -> Manifest.Track {
        Manifest.Track(
            name: name, kind: "microphone", file: "audio/\(name).wav", stream: 0, codec: "pcm_s24le",
            first_ns: 0, duration_ns: 10_000_000_000,
            samples: Manifest.Samples(written: 480_000, captured: 480_000 - filled, filled: filled))
    }

    private static func gap(_ track: String, _ from: Double, for length: Double, _ cause: String) -> Gap {
        Gap(
            track: track, from: MediaTime(nanoseconds: Int64(from * 1e9)),
            to: MediaTime(nanoseconds: Int64((from + length) * 1e9)), cause: cause)
    }

    private static func verdict(
        _ tracks: [Manifest.Track], residual: Double = 35, gaps: [Gap] = [],
        microphones: [String] = ["host"], limits: RecordingLimits = RecordingLimits(),
        edit: (inout Manifest) -> Void = { _ in }
    ) -> Verdict {
        var clock = Manifest.Clock(DeviceClock(nominalSecondsPerCount: 1 / 30.0))
        clock.residual_us = residual
        let format = Manifest.Format(rate: 30)
        var manifest = Manifest(
            multicam: "0.0.0", profile: "test", started: "2026-11-21T14:23:10.000000000+01:00",
            t0_monotonic_ns: 0, duration_ns: 10_000_000_000, alignment_delay_ns: 100_000_000,
            outcome: .finished, machine: Manifest.Machine(host: "h", system: "s", processors: 1),
            limits: Manifest.Limits(limits),
            devices: [
                Manifest.Device(
                    role: "desk", kind: "camera", identity: "i", name: "n", format: format, clock: clock)
            ]
                + microphones.map {
                    Manifest.Device(
                        role: $0, kind: "microphone", identity: "i", name: "n", format: format, clock: clock)
                }, tracks: tracks, cost: nil, governor: [], marks: [], gaps: gaps)
        edit(&manifest)
        return Verdict(manifest)
    }

    @Test("says in one sentence that nothing is missing and how well every clock is known")
    func good() {
        let verdict = Self.verdict([Self.camera("desk"), Self.microphone("host")])
        #expect(verdict.level == .good)
        #expect(
            verdict.text == "Every frame and every sample is there, and every clock is known to 0.04 ms.")
        #expect(
            Self.verdict([Self.microphone("host")], residual: 1).text
                == "Every sample is there, and every clock is known to 0.01 ms.")
        #expect(
            Self.verdict([Self.camera("desk")], microphones: []).text.hasPrefix("Every frame is there, and"))
    }

    @Test(
        "says of a group's recording when its time was not measured, or so badly that frames may be apart",
        arguments: [
            (60, 3000, 400, nil), (0, 0, 0, "was not measured"),
            (60, 17_000_000, 400, "known to ±17.0 ms only"),
            (60, 3000, 20_000_000, "up to 20.0 ms from the group's time"),
        ] as [(Int, Int64, Int64, String?)])
    func groupTime(followed: Int, bound: Int64, error: Int64, words: String?) {
        let verdict = Self.verdict([Self.camera("desk")], microphones: []) { manifest in
            manifest.group_time = Manifest.GroupTime(
                followed: followed, refused: 0, max_bound_ns: bound, max_error_ns: error, steps: 0,
                gained_ns: 0, ppm: 0)
        }
        #expect(verdict.level == (words == nil ? .good : .look))
        #expect(verdict.text.contains(words ?? "Every frame is there"))
    }

    @Test(
        "says of a group's recording when its time was known for less than half of it, or was set meanwhile",
        arguments: [
            (5, 0, nil), (4, 0, "less than half of the recording"),
            (60, 1, "was set while it was recorded (once)"),
            (60, 3, "(3 times)"),
        ] as [(Int, Int, String?)])
    func interruptedGroupTime(followed: Int, steps: Int, words: String?) {
        let verdict = Self.verdict([Self.camera("desk")], microphones: []) { manifest in
            manifest.group_time = Manifest.GroupTime(
                followed: followed, refused: 0, max_bound_ns: 3000, max_error_ns: 400, steps: steps,
                gained_ns: 0, ppm: 0)
        }
        #expect(verdict.level == (words == nil ? .good : .look))
        #expect(verdict.text.contains(words ?? "Every frame is there"))
    }

    @Test("names what is missing, why, what is complete, and what helps")
    func program() {
        let verdict = Self.verdict(
            [Self.camera("desk"), Self.camera("face"), Self.program(lost: ["encoder": 62])], microphones: [],
            limits: .none)
        #expect(
            verdict.sentences == [
                "The program misses 62 of 300 frames: the computer was too slow.",
                "Both camera tracks are complete; the program can be made again from them in a video editor.",
                "Next time \(Self.lighter).",
            ])
        #expect(verdict.level == .bad && verdict.exceededLimits.isEmpty)
    }

    private static let lighter =
        "set `preset: ultrafast`, or a smaller `size` or lower `rate` (`multicam plan` shows what each costs)"

    @Test(
        "tells how long the program stood still, one cause in one clause, and that the tracks can make it again"
    )
    func pause() {
        let verdict = Self.verdict(
            [Self.camera("desk"), Self.program(lost: ["governor": 200, "encoder": 4])], microphones: []
        ) {
            $0.governor = [
                Manifest.GovernorStep(at_ns: 1_000_000_000, step: "program on → paused", reason: "r"),
                Manifest.GovernorStep(at_ns: 2_500_000_000, step: "program paused → on", reason: "r"),
                Manifest.GovernorStep(at_ns: 5_000_000_000, step: "program on → paused", reason: "r"),
            ]
        }
        #expect(
            verdict.sentences == [
                "The program misses 204 of 300 frames (the limit is 1 %) and stood still for 6.5 s: the computer was too slow.",
                "Camera desk is complete; the program can be made again from it in a video editor.",
                "Next time \(Self.lighter).",
            ])
    }

    @Test("promises no program from tracks that lack something, or of cameras that have none")
    func noTracks() {
        let incomplete = Self.verdict(
            [Self.camera("desk", lost: ["bus": 1]), Self.program(lost: ["encoder": 62])], microphones: [])
        #expect(!incomplete.text.contains("made again"))
        let untracked = Self.verdict([Self.program(lost: ["encoder": 62]), Self.microphone("host")])
        #expect(!untracked.text.contains("made again"))
        let whole = Self.verdict([Self.camera("desk"), Self.program(), Self.microphone("host", filled: 9)])
        #expect(!whole.text.contains("made again"))
    }

    @Test(
        "survives pauses of the program at any time, in a recording of any length, that a manifest's file may hold",
        arguments: [Int64.min, -1, 0, 10_000_000_000, .max])
    func anyPause(duration: Int64) {
        for (start, end) in [(Int64.min, Int64.max), (.max, .min), (9, 3), (-5, -1)] {
            let verdict = Self.verdict([Self.program(lost: ["governor": 30])], microphones: []) {
                $0.duration_ns = duration
                // Twice, so that their sum could be too large.
                $0.governor = [start, end, start, end].enumerated().map { index, time in
                    Manifest.GovernorStep(
                        at_ns: time,
                        step: index.isMultiple(of: 2) ? "program on → paused" : "program paused → on",
                        reason: "")
                }
            }
            #expect(verdict.level == .bad)
            #expect(verdict.text.hasPrefix("The program misses 30 of 300 frames"))
        }
    }

    @Test("tells several causes with the share of each, and the limit where it was exceeded")
    func causes() {
        let verdict = Self.verdict([
            Self.camera("desk", lost: ["bus": 2, "away": 7]), Self.microphone("host"),
        ])
        #expect(
            verdict.sentences == [
                "Camera desk misses 9 of 300 frames (the limit is 1 %): 7 because the device was unplugged or delivered "
                    + "nothing, 2 because the connection to the device lost data.",
                "Microphone host is complete.",
                "Next time check the device's cable and port; plug the device into another USB port, best on a controller of "
                    + "its own (`multicam devices` lists them).",
            ])
        #expect(
            verdict.exceededLimits == ["Camera desk misses 9 of 300 frames (the limit is 1 %)."])
    }

    @Test(
        "tells seven short holes of a microphone, with a track of its own and without one",
        arguments: [true, false])
    func holes(hasTrack: Bool) {
        let gaps = (0..<7).map { Self.gap("host", Double($0) + 1, for: 0.06, "away") }
        let verdict = Self.verdict(
            [hasTrack ? Self.microphone("host", filled: 20_160) : Self.program()], gaps: gaps)
        #expect(
            verdict.sentences.first
                == "Microphone host misses 0.42 s of 10 s of audio in 7 places (the limit is 0.1 %): the device was unplugged "
                + "or delivered nothing.")
        #expect(verdict.level == .bad && verdict.exceededLimits.count == 1)
    }

    @Test("has a level between good and bad for losses within the limits, and for a loose clock")
    func look() {
        let few = Self.verdict(
            [Self.camera("desk", lost: ["bus": 2]), Self.microphone("host")], residual: 2500)
        #expect(few.level == .look && few.exceededLimits.isEmpty)
        #expect(few.sentences.contains("The clock of desk is known to ±2.5 ms only."))
        let short = Self.verdict([Self.camera("desk")], gaps: [Self.gap("desk", 1, for: 0.25, "silent")])
        #expect(short.level == .look && short.sentences.first == "Camera desk has a gap of 0.25 s.")
        let long = Self.verdict([Self.camera("desk")], gaps: [Self.gap("desk", 1, for: 4, "unplugged")])
        #expect(long.level == .bad)
    }

    @Test("tells a failure that ended several tracks once, and why a recording ended early")
    func failures() {
        let one = Self.verdict([Self.camera("desk", failure: "No space left."), Self.microphone("host")])
        #expect(
            one.sentences == ["Camera desk ended early: No space left.", "Microphone host is complete."])
        let all = Self.verdict(
            [Self.camera("desk", failure: "No space left."), Self.camera("face", failure: "No space left.")],
            microphones: [])
        #expect(all.sentences == ["All tracks ended early: No space left."])
        let ended = Self.verdict([Self.camera("desk")]) { $0.ended_by = "the battery is empty" }
        #expect(ended.text.hasPrefix("The recording was ended: the battery is empty."))
    }

    @Test("counts a microphone's silence beyond the profile's limit")
    func silence() {
        let verdict = Self.verdict(
            [Self.microphone("host")], limits: RecordingLimits(silence: .seconds(10))
        ) { $0.limits?.silent = ["host"] }
        #expect(verdict.exceededLimits == ["Microphone host was silent for longer than the limit of 10 s."])
        #expect(verdict.level == .bad)
    }

    @Test("blames no disk for what a crash took")
    func recovered() {
        let gap = Self.gap("host", 9.7, for: 0.3, "disk")
        let verdict = Self.verdict([Self.microphone("host", filled: 14_400)], gaps: [gap], limits: .none) {
            $0.recovery = Manifest.Recovery(multicam: "0.0.0", tracks: [])
        }
        #expect(
            verdict.sentences == [
                "The recording did not come to its end: what was on the disk was recovered.",
                "Microphone host misses 0.3 s of 10 s of audio in one place.",
            ])
    }

    @Test("has a cause and a remedy for every cause of the ledger, each a clause that ends no sentence")
    func table() {
        for cause in LossCause.allCases {
            let explanation = LossExplanation(cause)
            for clause in [explanation.cause, explanation.remedy] {
                #expect(!clause.isEmpty && !clause.hasSuffix(".") && clause.first?.isLowercase == true)
            }
        }
    }

    @Test("survives any number and any text that a manifest's file may hold")
    func anything() {
        var track = Self.camera("desk\u{1B}[2J")
        track.frames = Manifest.Frames(
            written: .min, captured: .max, skipped: 0, repeated: 0, slate: 0,
            lost: ["bus": .max, "away": .max, "late": .min, "nonsense": 3])
        let audio = Manifest.Samples(written: .min, captured: .min, filled: .max)
        var second = Self.microphone("host")
        second.samples = audio
        let gap = Gap(
            track: "desk", from: MediaTime(nanoseconds: .min), to: MediaTime(nanoseconds: .max),
            cause: "\u{7}")
        let verdict = Self.verdict([track, second], residual: .infinity, gaps: [gap, gap]) {
            $0.duration_ns = .min
        }
        #expect(!verdict.text.contains("\u{1B}"))
        #expect(verdict.level == .bad)
    }
}
