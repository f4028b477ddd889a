import MulticamMedia
import MulticamMonitoring
import Testing

@testable import MulticamProfiles
@testable import MulticamSession
@testable import MulticamSessionFolder
@testable import MulticamStressTest
@testable import MulticamTiming

@Suite("Judgment of a stress test run")
struct StressJudgmentTests {
    private let strict = StressLimits(
        RecordingLimits(lostFrames: 0, lostSamples: 0), checksPressureAndClocks: false)

    private func camera(_ captured: Int64, _ lost: [String: Int64], named name: String = "desk")
        -> StressCertificate.Track
    {
        StressCertificate.Track(name: name, kind: "camera", captured: captured, lost: lost)
    }

    @Test("A run without losses passes; any lost frame fails it, with the cause and a sentence")
    func losses() {
        #expect(StressJudgment(StressFindings(tracks: [camera(300, [:])]), limits: strict).verdict == .held)
        let judgment = StressJudgment(
            StressFindings(tracks: [camera(297, ["bus": 2, "late": 1])]), limits: strict)
        #expect(judgment.verdict == .failed && judgment.cause == .bus)
        #expect(judgment.reasons == ["desk lost 3 of 300 frames (2 bus, 1 late); the limit is 0."])
    }

    @Test("The profile's limit applies to each track separately")
    func limit() {
        let limits = StressLimits(RecordingLimits(lostFrames: 0.05), checksPressureAndClocks: false)
        let findings = StressFindings(tracks: [
            camera(285, ["bus": 15]), camera(284, ["encoder": 16], named: "face"),
        ])
        let judgment = StressJudgment(findings, limits: limits)
        #expect(judgment.cause == .processor)
        #expect(judgment.reasons == ["face lost 16 of 300 frames (16 encoder); the limit is 5.0 %."])
    }

    @Test(
        "Each cause of loss indicates the resource that is at its limit",
        arguments: [
            (LossCause.bus, StressCause.bus), (.driver, .processor), (.late, .processor),
            (.encoder, .processor),
            (.governor, .processor), (.disk, .disk), (.corrupt, .device), (.lowLight, .device),
            (.disconnected, .device),
        ])
    func causes(_ loss: LossCause, _ cause: StressCause) {
        #expect(StressCause(loss) == cause)
    }

    @Test("A full disk takes precedence over the losses that it causes")
    func storage() {
        let findings = StressFindings(
            tracks: [camera(10, ["late": 200])],
            storageFailures: ["desk.mov: write failed: the disk is full."])
        let judgment = StressJudgment(findings, limits: strict)
        #expect(judgment.cause == .disk && judgment.reasons.first?.contains("the disk is full") == true)
    }

    @Test("An outage is reported once instead of its losses, regardless of the limit of lost frames")
    func absence() {
        let gap = Gap(
            track: "desk", from: MediaTime(nanoseconds: 2_000_000_000),
            to: MediaTime(nanoseconds: 4_500_000_000),
            cause: "unplugged")
        let limits = StressLimits(RecordingLimits(lostFrames: 0.5), checksPressureAndClocks: false)
        let judgment = StressJudgment(
            StressFindings(tracks: [camera(225, ["disconnected": 75])], gaps: [gap, gap]), limits: limits)
        #expect(judgment.verdict == .failed && judgment.cause == .device)
        #expect(
            judgment.reasons == ["desk was disconnected or silent once, for a total of 2.5 s (unplugged)."])
    }

    @Test("System pressure and inaccurate clocks count only in a soak run")
    func soak() {
        let pressure = Manifest.Pressure(
            peak: .critical, peak_cost: 2,
            factors: [.init(what: "temperature", level: .critical, text: "cpu is at 99 °C", at_ns: 0)],
            missing: [])
        let findings = StressFindings(tracks: [camera(300, [:])], pressure: pressure, unlocked: ["desk"])
        #expect(StressJudgment(findings, limits: strict).verdict == .held)
        let long = StressJudgment(
            findings, limits: StressLimits(RecordingLimits(), checksPressureAndClocks: true))
        #expect(long.verdict == .failed && long.cause == .pressure)
        #expect(long.reasons.first == "System pressure was critical: cpu is at 99 °C.")
        #expect(long.reasons.count == 2 && long.reasons[1].contains("The clock of desk"))
    }

    @Test("Inserted silence counts as a loss, and a silent microphone is a reason to fail")
    func audio() {
        let track = StressCertificate.Track(
            name: "host", kind: "microphone", captured: 480_000, lost: ["silence": 4800])
        let judgment = StressJudgment(
            StressFindings(tracks: [track], silences: ["host is silent."]), limits: strict)
        #expect(judgment.cause == .device)
        #expect(
            judgment.reasons == ["host lost 100 ms of audio; the limit is 0.", "host is silent."])
    }

    @Test("A device that fails to start because of insufficient bandwidth indicates the bus")
    func refusal() {
        let error = DeviceError(device: "/dev/video0", operation: "starting", errno: 28)
        #expect(StressCause(RecordingError.device(error)) == .bus)
        #expect(StressJudgment(notStarted: .bus, "\(error)").verdict == .notRun)
    }
}
