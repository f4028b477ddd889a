import Media
import Testing

@testable import Session

@Suite("The verdict on a recording")
struct SyncVerdictTests {
    private static func manifest(
        lost: [String: Int] = [:], filled: Int64 = 0, residual: Double = 35, gaps: [Gap] = [],
        failure: String? = nil
    ) -> Manifest {
        var clock = Manifest.Clock(DeviceClock(nominalSecondsPerCount: 1 / 30.0))
        clock.residual_us = residual
        return Manifest(
            multicam: "0.0.0", profile: "test", started: "2026-11-21T14:23:10.000000000+01:00",
            t0_monotonic_ns: 0,
            duration_ns: 10_000_000_000, alignment_delay_ns: 100_000_000, outcome: .finished,
            machine: Manifest.Machine(host: "h", system: "s", processors: 1),
            devices: [
                Manifest.Device(
                    role: "desk", kind: "camera", identity: "i", name: "n",
                    format: Manifest.Format(pixel: "mjpeg", width: 640, height: 480, rate: 30), clock: clock)
            ],
            tracks: [
                Manifest.Track(
                    name: "desk", kind: "camera", file: "cameras/desk.mov", stream: 0, codec: "mjpeg",
                    first_ns: 0,
                    duration_ns: 10_000_000_000,
                    frames: Manifest.Frames(
                        written: 300, captured: 300, skipped: 0, repeated: 0, slate: 0, lost: lost),
                    failure: failure),
                Manifest.Track(
                    name: "host", kind: "microphone", file: "audio/host.wav", stream: 0, codec: "pcm_s24le",
                    first_ns: 0, duration_ns: 10_000_000_000,
                    samples: Manifest.Samples(written: 480_000, captured: 480_000 - filled, filled: filled)),
            ],
            cost: nil, governor: [], marks: [], gaps: gaps)
    }

    @Test("is good, in a sentence, when nothing is missing and every clock is known")
    func good() {
        let verdict = SyncVerdict(Self.manifest())
        #expect(verdict.level == .good)
        #expect(
            verdict.sentences == [
                "Every picture and every sample is there, and every clock is known to 0.04 ms."
            ])
    }

    @Test("names each thing that a person should look at, and what is bad")
    func others() {
        let few = SyncVerdict(Self.manifest(lost: ["bus": 2], residual: 2500))
        #expect(few.level == .look)
        #expect(
            few.sentences == [
                "desk lost 2 of 302 pictures (2 bus).", "The clock of desk is known to ±2.5 ms only.",
            ])
        #expect(SyncVerdict(Self.manifest(lost: ["bus": 2, "away": 7])).level == .bad)
        #expect(
            SyncVerdict(Self.manifest(lost: ["bus": 2, "away": 7])).sentences == [
                "desk lost 9 of 309 pictures (7 away, 2 bus)."
            ])
        let silent = SyncVerdict(Self.manifest(filled: 4800))
        #expect(silent.level == .bad && silent.sentences == ["host is silent for 0.1 s where no sound came."])
        let gap = Gap(
            track: "desk", from: .zero, to: MediaTime(nanoseconds: 250_000_000), cause: "unplugged")
        #expect(SyncVerdict(Self.manifest(gaps: [gap])).sentences == ["desk has a gap of 0.25 s."])
        #expect(SyncVerdict(Self.manifest(failure: "No space left.")).level == .bad)
    }
}
