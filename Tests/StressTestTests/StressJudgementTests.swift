import Media
import Monitoring
import Testing

@testable import Profiles
@testable import Session
@testable import SessionFolder
@testable import StressTest
@testable import Timing

@Suite("Whether a run of a stress test held")
struct StressJudgementTests {
    private let strict = StressLimits(RecordingLimits(lostFrames: 0, lostSamples: 0), isLong: false)

    private func camera(_ captured: Int64, _ lost: [String: Int64], named name: String = "desk")
        -> StressCertificate.Track
    {
        StressCertificate.Track(name: name, kind: "camera", captured: captured, lost: lost)
    }

    @Test("Nothing lost has held; a single frame has not, with its cause and a sentence")
    func losses() {
        #expect(StressJudgement(StressFindings(tracks: [camera(300, [:])]), limits: strict).verdict == .held)
        let judgement = StressJudgement(
            StressFindings(tracks: [camera(297, ["bus": 2, "late": 1])]), limits: strict)
        #expect(judgement.verdict == .failed && judgement.cause == .bus)
        #expect(judgement.reasons == ["desk lost 3 of 300 frames (2 bus, 1 late), where none may be lost."])
    }

    @Test("The profile's limit allows what it says, of each track by itself")
    func limit() {
        let limits = StressLimits(RecordingLimits(lostFrames: 0.05), isLong: false)
        let findings = StressFindings(tracks: [
            camera(285, ["bus": 15]), camera(284, ["encoder": 16], named: "face"),
        ])
        let judgement = StressJudgement(findings, limits: limits)
        #expect(judgement.cause == .processor)
        #expect(judgement.reasons == ["face lost 16 of 300 frames (16 encoder), more than 5.0 %."])
    }

    @Test(
        "Each cause of loss speaks of what is at its limit",
        arguments: [
            (LossCause.bus, StressCause.bus), (.driver, .processor), (.late, .processor),
            (.encoder, .processor),
            (.governor, .processor), (.disk, .disk), (.corrupt, .device), (.exposure, .device),
            (.away, .device),
        ])
    func causes(_ loss: LossCause, _ cause: StressCause) {
        #expect(StressCause(loss) == cause)
    }

    @Test("A full disk counts for more than the losses that came of it")
    func storage() {
        let findings = StressFindings(
            tracks: [camera(10, ["late": 200])],
            storageFailures: ["desk.mov: write failed: the disk is full."])
        let judgement = StressJudgement(findings, limits: strict)
        #expect(judgement.cause == .disk && judgement.reasons.first?.contains("the disk is full") == true)
    }

    @Test("An absence is told once, before the losses that came of it, whatever the limit of losses")
    func absence() {
        let gap = Gap(
            track: "desk", from: MediaTime(nanoseconds: 2_000_000_000),
            to: MediaTime(nanoseconds: 4_500_000_000),
            cause: "unplugged")
        let limits = StressLimits(RecordingLimits(lostFrames: 0.5), isLong: false)
        let judgement = StressJudgement(
            StressFindings(tracks: [camera(225, ["away": 75])], gaps: [gap, gap]), limits: limits)
        #expect(judgement.verdict == .failed && judgement.cause == .device)
        #expect(judgement.reasons == ["desk was away once, for 2.5 s in all (unplugged)."])
    }

    @Test("Pressure and loose clocks are judged in a soak alone")
    func soak() {
        let pressure = Manifest.Pressure(
            peak: .critical, peak_cost: 2,
            factors: [.init(what: "temperature", level: .critical, text: "cpu is at 99 °C", at_ns: 0)],
            missing: [])
        let findings = StressFindings(tracks: [camera(300, [:])], pressure: pressure, unlocked: ["desk"])
        #expect(StressJudgement(findings, limits: strict).verdict == .held)
        let long = StressJudgement(findings, limits: StressLimits(RecordingLimits(), isLong: true))
        #expect(long.verdict == .failed && long.cause == .pressure)
        #expect(long.reasons.first == "System pressure was critical: cpu is at 99 °C.")
        #expect(long.reasons.count == 2 && long.reasons[1].contains("The clock of desk"))
    }

    @Test("Audio that was filled is a loss, and a microphone that is silent a reason")
    func audio() {
        let track = StressCertificate.Track(
            name: "host", kind: "microphone", captured: 480_000, lost: ["filled": 4800])
        let judgement = StressJudgement(
            StressFindings(tracks: [track], silences: ["host is silent."]), limits: strict)
        #expect(judgement.cause == .device)
        #expect(
            judgement.reasons == ["host lost 100 ms of audio, where none may be lost.", "host is silent."])
    }

    @Test("A device that refuses for want of bandwidth speaks of the bus")
    func refusal() {
        let error = DeviceError(device: "/dev/video0", operation: "start", errno: 28)
        #expect(StressCause(RecordingError.device(error)) == .bus)
        #expect(StressJudgement(notStarted: .bus, "\(error)").verdict == .notRun)
    }
}
