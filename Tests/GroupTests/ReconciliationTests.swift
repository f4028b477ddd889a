import MulticamMedia
import MulticamSessionFolder
import Testing

@testable import MulticamGroup

@Suite("Reconciliation of a node's journal with its recorder")
struct ReconciliationTests {
    private static func entry(_ change: (inout NodeRecording) -> Void = { _ in }) -> NodeRecording {
        var entry = NodeRecording(
            recording: "r", t0_utc_ns: 1_000_000_000_000, term: 1, outcome: "recording")
        change(&entry)
        return entry
    }

    private static func start(_ utc: Int64?, _ folder: String = "f") -> RecordingStart {
        RecordingStart(folder: folder, monotonic: ClockTime(nanoseconds: 5), utc: utc)
    }

    private func decide(
        _ entry: NodeRecording, _ activity: RecorderActivity, isBeginning: Bool = false
    ) -> Reconciliation {
        Reconciliation(entry, in: [entry], activity, isBeginning: isBeginning, folder: .noRecording)
    }

    @Test(
        "a pending recording is dropped after a node crash, unless the recorder is making it")
    func stale() {
        for activity in [.notRunning, .idle, .recording(Self.start(nil)), .recording(Self.start(1))]
            as [RecorderActivity]
        {
            #expect(decide(Self.entry(), activity) == .drop)
            #expect(decide(Self.entry(), activity, isBeginning: true) == .unchanged)
        }
        #expect(decide(Self.entry(), .waiting) == .unchanged)
        #expect(decide(Self.entry(), .unresponsive) == .unchanged)
        let start = Self.start(1_000_000_000_000)
        #expect(decide(Self.entry(), .recording(start)) == .adopt(start))
    }

    @Test("the recorder's recording is matched to the entry with the latest T0 before it")
    func owner() {
        let older = Self.entry()
        let newer = Self.entry { recording in
            (recording.recording, recording.outcome) = ("s", "failed")
            recording.t0_utc_ns += 10_000_000_000
        }
        let activity = RecorderActivity.recording(Self.start(newer.t0_utc_ns))
        let decision = Reconciliation(
            older, in: [older, newer], activity, isBeginning: false, folder: .noRecording)
        #expect(decision == .drop)
        #expect(Reconciliation.untracked(in: [older, newer], activity)?.entry == newer)
    }

    @Test(
        "a recording is over if the recorder does something else and its folder isn't locked")
    func over() {
        let entry = Self.entry { $0.folder = "f" }
        #expect(decide(entry, .recording(Self.start(nil))) == .unchanged)
        #expect(decide(entry, .recording(Self.start(nil, "other"))) == .end)
        for activity in [.notRunning, .idle, .unresponsive, .waiting] as [RecorderActivity] {
            #expect(decide(entry, activity) == .end)
            let held = Reconciliation(entry, in: [entry], activity, isBeginning: false, folder: .running)
            #expect(held == .unchanged)
        }
    }

    @Test("a recording that began despite being given up is found, others aren't")
    func forgotten() {
        let failed = Self.entry { $0.outcome = "failed" }
        let start = Self.start(1_000_500_000_000)
        #expect(Reconciliation.untracked(in: [failed], .recording(start))?.start == start)
        #expect(Reconciliation.untracked(in: [failed], .recording(Self.start(nil))) == nil)
        #expect(Reconciliation.untracked(in: [failed], .recording(Self.start(2_000_000_000_000))) == nil)
        let finished = Self.entry { ($0.outcome, $0.folder) = ("finished", "f") }
        #expect(Reconciliation.untracked(in: [finished], .recording(start)) == nil)
        #expect(Reconciliation.untracked(in: [failed], .idle) == nil)
    }

    @Test("a recording begins only once; one that never began due to a node crash may begin late")
    func admission() {
        #expect(Admission(of: "r", in: []) == .begin)
        #expect(Admission(of: "r", in: [Self.entry()]) == .known)
        #expect(Admission(of: "s", in: [Self.entry()]) == .busy("r"))
        for outcome in ["finished", "unfinished", "failed"] {
            let entry = Self.entry { ($0.outcome, $0.folder) = (outcome, "f") }
            #expect(Admission(of: "r", in: [entry]) == .known)
            #expect(Admission(of: "s", in: [entry]) == .begin)
        }
        #expect(Admission(of: "r", in: [Self.entry { $0.outcome = "failed" }]) == .known)
        let dropped = Self.entry { $0.outcome = "unfinished" }
        #expect(Admission(of: "r", in: [dropped]) == .begin)
        let other = Self.entry { $0.recording = "s" }
        #expect(Admission(of: "r", in: [dropped, other]) == .busy("s"))
    }
}
