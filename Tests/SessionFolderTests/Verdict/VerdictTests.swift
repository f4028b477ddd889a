import MulticamMedia
import MulticamMonitoring
import Testing

@testable import MulticamProfiles
@testable import MulticamSessionFolder
@testable import MulticamTiming

@Suite("Verdict")
struct VerdictTests {
    private static func camera(_ name: String, lost: [String: Int] = [:], failure: String? = nil)
        -> Manifest.Track
    {
        Manifest.Track(
            name: name, kind: "camera", file: "cameras/\(name).mov", stream: 0, codec: "mjpeg", first_ns: 0,
            duration_ns: 10_000_000_000,
            frames: Manifest.Frames(
                written: 300, captured: 300 - lost.values.reduce(0, +), decimated: 0, duplicated: 0, slate: 0,
                lost: lost), failure: failure)
    }

    private static func program(lost: [String: Int] = [:]) -> Manifest.Track {
        var track = camera("program", lost: lost)
        track.kind = "program"
        track.file = "program.mp4"
        return track
    }

    private static func microphone(_ name: String, silence: Int64 = 0) -> Manifest.Track {
        Manifest.Track(
            name: name, kind: "microphone", file: "audio/\(name).wav", stream: 0, codec: "pcm_s24le",
            first_ns: 0, duration_ns: 10_000_000_000,
            samples: Manifest.Samples(written: 480_000, captured: 480_000 - silence, silence: silence))
    }

    @Test(
        "reports files that lagged more than usual",
        arguments: [(1_600_000_000, 30, false), (3_400_000_000, 30, true), (3_400_000_000, 0.5, false)]
            as [(behind: Int64, rate: Double, isReported: Bool)])
    func behind(behind: Int64, rate: Double, isReported: Bool) {
        let verdict = Self.verdict([Self.camera("desk")]) { manifest in
            manifest.tracks[0].rate = rate
            manifest.alignment_delay_ns = 200_000_000
            manifest.cost = Manifest.Cost(
                pressure: Manifest.Pressure(
                    peak: .serious, peak_cost: 1, factors: [], missing: [], files_behind_ns: behind))
        }
        let sentence =
            "Writing the files lagged behind the recording by up to 3.4 s. A crash would have lost this amount of data."
        #expect(verdict.sentences.contains(sentence) == isReported)
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
                }, tracks: tracks, cost: nil, governor: [], markers: [], gaps: gaps)
        edit(&manifest)
        return Verdict(manifest)
    }

    @Test("a complete recording gets the headline Complete, and the accuracy of the clocks")
    func good() {
        let verdict = Self.verdict([Self.camera("desk"), Self.microphone("host")])
        #expect(verdict.level == .good)
        #expect(
            verdict.sentences == [
                "Complete.", "Every frame and every sample was recorded.",
                "All clocks are accurate to within 0.04 ms.",
            ])
        #expect(
            Self.verdict([Self.microphone("host")], residual: 1).text
                == "Complete. Every sample was recorded. All clocks are accurate to within 0.01 ms.")
        #expect(
            Self.verdict([Self.camera("desk")], microphones: []).text.hasPrefix(
                "Complete. Every frame was recorded. All"))
    }

    @Test(
        "the stated accuracy of a clock is limited by the accuracy of its timestamps",
        arguments: [
            (
                error: 200_000.0,
                text: "Complete. Every frame was recorded. All clocks are accurate to within 200.0 ms."
            ),
            (
                error: 10_000.0,
                text: "Complete. Every frame was recorded. All clocks are accurate to within 10.0 ms."
            ),
            (
                error: 1_400_000.0,
                text: "Complete, with warnings. The clock of desk is accurate only to ±1400.0 ms."
            ),
        ])
    func datedByArrival(error: Double, text: String) {
        let verdict = Self.verdict([Self.camera("desk")], residual: 590, microphones: []) {
            $0.devices[0].clock.source = .arrival
            $0.devices[0].clock.error_us = error
        }
        #expect(verdict.text == text)
    }

    @Test(
        "the remedy for damaged frames depends on the device: another USB port only for USB devices",
        arguments: [
            (type: SourceKind.network, remedy: "by Ethernet"), (type: .phone, remedy: "access point"),
            (type: .external, remedy: "another USB port"),
        ])
    func damaged(type: SourceKind, remedy: String) {
        var track = Self.camera("desk", lost: ["corrupt": 20])
        track.role = "desk"
        let verdict = Self.verdict([track], microphones: []) { $0.devices[0].type = type.rawValue }
        #expect(verdict.text.contains(remedy), "\(verdict.text)")
        #expect(verdict.text.contains("USB") == (type == .external), "\(verdict.text)")
    }

    @Test(
        "warns if a group's time was not measured, or too inaccurate to align frames",
        arguments: [
            (60, 3000, 400, nil), (0, 0, 0, "was not measured"),
            (60, 17_000_000, 400, "accurate only to ±17.0 ms"),
            (60, 3000, 20_000_000, "up to 20.0 ms from the group's time"),
        ] as [(Int, Int64, Int64, String?)])
    func groupTime(followed: Int, bound: Int64, error: Int64, words: String?) {
        let verdict = Self.verdict([Self.camera("desk")], microphones: []) { manifest in
            manifest.group_time = Manifest.GroupTime(
                followed: followed, refused: 0, max_bound_ns: bound, max_error_ns: error, steps: 0,
                gained_ns: 0, ppm: 0)
        }
        #expect(verdict.level == (words == nil ? .good : .warning))
        #expect(verdict.text.contains(words ?? "Every frame was recorded"))
    }

    @Test(
        "warns if a group's time was available for less than half of the recording, or was set during it",
        arguments: [
            (5, 0, nil), (4, 0, "less than half of the recording"),
            (60, 1, "was set during the recording (once)"),
            (60, 3, "(3 times)"),
        ] as [(Int, Int, String?)])
    func interruptedGroupTime(followed: Int, steps: Int, words: String?) {
        let verdict = Self.verdict([Self.camera("desk")], microphones: []) { manifest in
            manifest.group_time = Manifest.GroupTime(
                followed: followed, refused: 0, max_bound_ns: 3000, max_error_ns: 400, steps: steps,
                gained_ns: 0, ppm: 0)
        }
        #expect(verdict.level == (words == nil ? .good : .warning))
        #expect(verdict.text.contains(words ?? "Every frame was recorded"))
    }

    @Test("states the losses, their cause, the complete tracks, and a remedy")
    func program() {
        let verdict = Self.verdict(
            [Self.camera("desk"), Self.camera("face"), Self.program(lost: ["encoder": 62])], microphones: [],
            limits: .none)
        #expect(
            verdict.sentences == [
                "Incomplete: the program is missing 62 of 300 frames (20.7 %).",
                "Cause: the computer was too slow.",
                "Both camera tracks are complete. The program can be rendered again from them.",
                "Next time, \(Self.lighter).",
            ])
        #expect(verdict.level == .bad && verdict.exceededLimits.isEmpty)
    }

    private static let lighter =
        "set a smaller `size` or a lower `rate` for the program"

    @Test(
        "states how long the program was paused, each cause once, and how to render it again from the tracks"
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
                "Incomplete: the program is missing 204 of 300 frames (68 %, limit 1 %) and was paused for 6.5 s.",
                "Cause: the computer was too slow.",
                "Camera desk is complete. The program can be rendered again from it.",
                "Next time, \(Self.lighter).",
            ])
    }

    @Test("does not suggest rendering from incomplete tracks, or for cameras without tracks")
    func noTracks() {
        let incomplete = Self.verdict(
            [Self.camera("desk", lost: ["bus": 1]), Self.program(lost: ["encoder": 62])], microphones: [])
        #expect(!incomplete.text.contains("multicam render"))
        let untracked = Self.verdict([Self.program(lost: ["encoder": 62]), Self.microphone("host")])
        #expect(!untracked.text.contains("multicam render"))
        let whole = Self.verdict([Self.camera("desk"), Self.program(), Self.microphone("host", silence: 9)])
        #expect(!whole.text.contains("multicam render"))
    }

    @Test(
        "accepts any pause times and any duration in a manifest",
        arguments: [Int64.min, -1, 0, 10_000_000_000, .max])
    func anyPause(duration: Int64) {
        for (start, end) in [(Int64.min, Int64.max), (.max, .min), (9, 3), (-5, -1)] {
            let verdict = Self.verdict([Self.program(lost: ["governor": 30])], microphones: []) {
                $0.duration_ns = duration
                // The steps occur twice, to test for overflow of the sum.
                $0.governor = [start, end, start, end].enumerated().map { index, time in
                    Manifest.GovernorStep(
                        at_ns: time,
                        step: index.isMultiple(of: 2) ? "program on → paused" : "program paused → on",
                        reason: "")
                }
            }
            #expect(verdict.level == .bad)
            #expect(verdict.text.hasPrefix("Incomplete: the program is missing 30 of 300 frames"))
        }
    }

    @Test("lists several causes with their counts, and the limit")
    func causes() {
        let verdict = Self.verdict([
            Self.camera("desk", lost: ["bus": 2, "disconnected": 7]), Self.microphone("host"),
        ])
        #expect(
            verdict.sentences == [
                "Incomplete: camera desk is missing 9 of 300 frames (3 %, limit 1 %).",
                "Causes: the device was disconnected or delivered no data (7 frames); the connection to the device lost "
                    + "data (2 frames).",
                "Microphone host is complete.",
                "Next time, check the device's connection.",
            ])
        #expect(
            verdict.exceededLimits == ["Camera desk is missing 9 of 300 frames (3 %, limit 1 %)."])
    }

    @Test(
        "reports seven short gaps of a microphone, with and without a separate track",
        arguments: [true, false])
    func holes(hasTrack: Bool) {
        let gaps = (0..<7).map { Self.gap("host", Double($0) + 1, for: 0.06, "disconnected") }
        let verdict = Self.verdict(
            [hasTrack ? Self.microphone("host", silence: 20_160) : Self.program()], gaps: gaps)
        #expect(
            verdict.sentences.prefix(2) == [
                "Incomplete: microphone host is missing 0.42 s of 10 s of audio (4.2 %, limit 0.1 %) in 7 places.",
                "Cause: the device was disconnected or delivered no data.",
            ])
        #expect(verdict.level == .bad && verdict.exceededLimits.count == 1)
    }

    @Test("a gap that is shorter than a frame doesn't make a camera track incomplete")
    func gapWithoutFrame() {
        var track = Self.camera("desk")
        track.rate = 30
        #expect(
            Self.verdict([track], gaps: [Self.gap("desk", 9.99, for: 0.01, "end of file")]).level == .good)
        #expect(
            Self.verdict(
                [Self.microphone("host")], gaps: [Self.gap("host", 9.99, for: 0.000_01, "end of file")]
            )
            .level == .good)
        #expect(
            Self.verdict([track], gaps: [Self.gap("desk", 9.9, for: 0.1, "end of file")]).level == .warning)
    }

    @Test("losses within the limits and inaccurate clocks have the level between good and bad")
    func look() {
        let few = Self.verdict(
            [Self.camera("desk", lost: ["bus": 2]), Self.microphone("host")], residual: 2500)
        #expect(few.level == .warning && few.exceededLimits.isEmpty)
        #expect(few.sentences.contains("The clock of desk is accurate only to ±2.5 ms."))
        let short = Self.verdict([Self.camera("desk")], gaps: [Self.gap("desk", 1, for: 0.25, "silent")])
        #expect(
            short.level == .warning && short.sentences.first == "Incomplete: camera desk has a gap of 0.25 s."
        )
        let long = Self.verdict([Self.camera("desk")], gaps: [Self.gap("desk", 1, for: 4, "unplugged")])
        #expect(long.level == .bad)
    }

    @Test("reports a failure of several tracks once, and why a recording stopped early")
    func failures() {
        let one = Self.verdict([Self.camera("desk", failure: "No space left."), Self.microphone("host")])
        #expect(
            one.sentences == [
                "Incomplete: camera desk stopped early.", "Cause: No space left.",
                "Microphone host is complete.",
            ])
        let all = Self.verdict(
            [Self.camera("desk", failure: "No space left."), Self.camera("face", failure: "No space left.")],
            microphones: [])
        #expect(all.sentences == ["Incomplete: all tracks stopped early.", "Cause: No space left."])
        let ended = Self.verdict([Self.camera("desk")]) { $0.ended_by = "the battery is empty" }
        #expect(ended.text.hasPrefix("Incomplete: the recording stopped early. Cause: the battery is empty."))
    }

    @Test("reports a microphone that was silent for longer than the profile's limit")
    func silence() {
        let verdict = Self.verdict(
            [Self.microphone("host")], limits: RecordingLimits(silence: .seconds(10))
        ) { $0.limits?.silent = ["host"] }
        #expect(verdict.exceededLimits == ["Microphone host was silent for longer than the limit of 10 s."])
        #expect(verdict.level == .bad)
    }

    @Test("does not attribute the losses of a crash to the disk")
    func recovered() {
        let gap = Self.gap("host", 9.7, for: 0.3, "disk")
        let verdict = Self.verdict([Self.microphone("host", silence: 14_400)], gaps: [gap], limits: .none) {
            $0.recovery = Manifest.Recovery(multicam: "0.0.0", tracks: [])
        }
        #expect(
            verdict.sentences == [
                "Incomplete: the recording was interrupted.", "The data on the disk was recovered.",
                "Microphone host is missing 0.3 s of 10 s of audio (3 %) in one place.",
            ])
    }

    @Test("the end of a file and the disconnection of a phone have specific explanations")
    func kinds() {
        func text(_ kind: SourceKind, _ lost: String) -> String {
            Self.verdict([Self.camera("desk", lost: [lost: 9])], microphones: []) {
                $0.devices[0].type = kind.rawValue
            }.text
        }
        #expect(text(.file, "disconnected").contains("the file ended before the recording"))
        #expect(text(.phone, "low-light").contains("keep the phone cool"))
        #expect(text(.external, "disconnected").contains("cable and port"))
    }

    @Test("the clock of a file is exact and never reported as inaccurate")
    func exactClock() {
        let verdict = Self.verdict([Self.camera("desk")], residual: 2500, microphones: []) {
            $0.devices[0].type = "file"
        }
        #expect(verdict.level == .good && verdict.text == "Complete. Every frame was recorded.")
    }

    @Test("accepts any number and any text in a manifest")
    func anything() {
        var track = Self.camera("desk\u{1B}[2J")
        track.frames = Manifest.Frames(
            written: .min, captured: .max, decimated: 0, duplicated: 0, slate: 0,
            lost: ["bus": .max, "disconnected": .max, "late": .min, "nonsense": 3])
        let audio = Manifest.Samples(written: .min, captured: .min, silence: .max)
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
