import MulticamMedia
import Testing

@testable import MulticamGroup

@Suite("End of a group recording")
struct GroupEndingTests {
    private static let start = ClockTime(nanoseconds: 1_000_000_000_000)

    private static func answer(
        _ outcome: String?, _ change: (inout NodeRecording) -> Void = { _ in }
    ) -> Result<GroupAnswer, GroupError> {
        var part = NodeRecording(recording: "r", t0_utc_ns: 1, term: 1, outcome: outcome)
        change(&part)
        return .success(GroupAnswer(id: "a", node: "n", ok: true, text: "", recording: part))
    }

    @Test("a recording is over when all nodes have reported its end, with the worst exit status")
    func complete() {
        var ending = GroupEnding(["left", "right"], endedAt: Self.start)
        #expect(ending.openNodes == ["left", "right"] && !ending.isOver(at: Self.start))
        #expect(ending.receive(Self.answer("finished"), from: "left")?.outcome == "finished")
        #expect(ending.receive(.failure(GroupError("no answer")), from: "right") == nil)
        #expect(ending.openNodes == ["right"] && ending.status == 1)
        #expect(ending.receive(Self.answer("finished") { $0.exit = 6 }, from: "right") != nil)
        #expect(ending.isOver(at: Self.start) && ending.status == 6 && ending.verdict == nil)
        #expect(ending.outcomes == ["left": "finished", "right": "finished"])
    }

    @Test("a node that keeps reporting `recording` doesn't delay the end past the deadline, and is named")
    func overdue() {
        var ending = GroupEnding(["left", "liar"], endedAt: Self.start)
        _ = ending.receive(Self.answer("finished"), from: "left")
        let deadline = Self.start + GroupRecording.closingTime
        for outcome in ["recording", nil] {
            #expect(ending.receive(Self.answer(outcome), from: "liar") == nil)
            #expect(!ending.isOver(at: deadline - .seconds(1)))
            #expect(ending.isOver(at: deadline))
        }
        #expect(ending.openNodes == ["liar"] && ending.status == 1)
        #expect(ending.outcomes == ["left": "finished", "liar": "overdue"])
        #expect(ending.verdict?.contains("without reports from liar: 1 of 2") == true)
        #expect(ending.overdueMessage(for: "liar")?.contains("overdue") == true)
        #expect(ending.overdueMessage(for: "left") == nil)
    }

    @Test("an answer after the deadline is accepted, and an end is final")
    func late() {
        var ending = GroupEnding(["liar"], endedAt: Self.start)
        _ = ending.receive(Self.answer("recording"), from: "liar")
        #expect(ending.isOver(at: Self.start + .seconds(600)) && ending.status == 1)
        #expect(ending.receive(Self.answer("finished"), from: "liar") != nil)
        #expect(ending.status == 0 && ending.verdict == nil)
        _ = ending.receive(Self.answer("recording"), from: "liar")
        #expect(ending.receive(Self.answer("failed"), from: "liar") == nil)
        #expect(ending.outcomes == ["liar": "finished"])
    }

    @Test(
        "a silent node is distinguished from one that refuses to report; answers from unknown nodes are ignored"
    )
    func silent() {
        var ending = GroupEnding(["left", "right"], endedAt: Self.start)
        let refusal = GroupAnswer(id: "a", node: "right", ok: false, text: "this node has no such recording.")
        _ = ending.receive(.success(refusal), from: "right")
        #expect(ending.receive(Self.answer("finished"), from: "stranger") == nil)
        #expect(ending.outcomes == ["left": "silent", "right": "overdue"])
        #expect(ending.overdueMessage(for: "right")?.contains("no such recording") == true)
        #expect(ending.overdueMessage(for: "left")?.contains("no response") == true)
    }
}
