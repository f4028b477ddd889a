import Foundation
import MulticamMedia
import Testing

@testable import MulticamGroup

@Suite("Coordinator decisions before a recording")
struct CoordinatorTests {
    private static func coordinator(_ nodes: [String]) throws -> Coordinator {
        Coordinator(
            folder: try GroupFolder("studio", environment: ["XDG_CONFIG_HOME": "/nowhere"]),
            nodes: nodes.map { ($0, "profile-of-\($0)") }, duration: nil, asJSON: false)
    }

    private static func states(_ names: [String]) -> [String: (state: NodeState, ahead: Nanoseconds)] {
        Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, (NodeState(node: $0, at_utc_ns: 0, state: "standby"), Nanoseconds.zero))
            })
    }

    @Test("without a group profile, all online nodes record with their own profiles")
    func all() throws {
        let chosen = try Self.coordinator([]).choose(Self.states(["right", "left"]))
        #expect(chosen.map(\.name) == ["left", "right"] && chosen.allSatisfy { $0.profile == nil })
        let nobody = #expect(throws: GroupError.self) { _ = try Self.coordinator([]).choose([:]) }
        #expect(nobody?.description.contains("multicam node") == true)
    }

    @Test(
        "only the nodes in the group profile record; if one is offline, the error names it and recording fails"
    )
    func chosen() throws {
        let two = try Self.coordinator(["left"]).choose(Self.states(["left", "liar"]))
        #expect(two.map(\.name) == ["left"] && two.first?.profile == "profile-of-left")
        let missing = #expect(throws: GroupError.self) {
            _ = try Self.coordinator(["left", "right"]).choose(Self.states(["left"]))
        }
        #expect(missing?.description.contains("right is offline") == true)
    }

    private static func answer(_ change: (inout GroupAnswer) -> Void) -> Result<GroupAnswer, GroupError> {
        var answer = GroupAnswer(id: "a", node: "n", ok: true, text: "fine")
        change(&answer)
        return .success(answer)
    }

    @Test("if a node refuses, recording fails with the worst exit status")
    func refusals() throws {
        let fine = Self.answer { ($0.cost, $0.disk_seconds, $0.frame_ns) = (.infinity, -.infinity, .min) }
        try Coordinator.reportAnswers([("left", fine)])
        let error = #expect(throws: GroupError.self) {
            try Coordinator.reportAnswers([
                ("left", fine), ("right", Self.answer { ($0.ok, $0.exit, $0.text) = (false, 7, "full") }),
                ("third", .failure(GroupError("it does not answer"))),
            ])
        }
        #expect(error?.status == 7)
        #expect(error?.description.contains("The recording was not started") == true)
        // The value 0 would mean success in the shell.
        let zero = #expect(throws: GroupError.self) {
            try Coordinator.reportAnswers([("liar", Self.answer { ($0.ok, $0.exit) = (false, 0) })])
        }
        #expect(zero?.status == 1 && zero?.description.contains("liar cannot record") == true)
    }
}

@Suite("Events sent by a node")
struct EventFeedTests {
    private static func entries(_ names: String...) -> [NodeRecording] {
        names.map { name in
            NodeRecording(
                recording: name, t0_utc_ns: 0, term: 1, folder: name.hasPrefix("-") ? nil : name,
                outcome: "finished")
        }
    }

    @Test(
        "the stream's last recording is continued, then the next one; after an unknown one, all are sent again",
        arguments: [
            (nil, nil, "a"), (nil, "a", "a"), (nil, "b", "b"), ("a", "a", "b"), ("a", nil, "b"),
            ("b", "a", nil),
            (nil, "lost", "a"), ("lost", "a", "a"),
        ] as [(String?, String?, String?)])
    func next(read: String?, had: String?, next: String?) {
        // A recording that never began has no events.
        let found = EventFeed.next(in: Self.entries("-x", "a", "-y", "b"), read: read, lastSent: had)
        #expect(found?.recording == next)
    }
}
