import Foundation
import MulticamMedia
import Testing

@testable import MulticamGroup

@Suite("Group messages")
struct GroupMessageTests {
    private static func recording(_ change: (inout GroupRecording) -> Void = { _ in }) -> GroupRecording {
        var recording = GroupRecording(
            name: "2026-11-23_142310_studio", group: "studio", coordinator: "left", term: 1, t0_utc_ns: 1_000,
            nodes: ["left", "right"])
        change(&recording)
        return recording
    }

    @Test("a recording runs until its duration has elapsed or it is ended")
    func running() {
        #expect(Self.recording().isRunning(at: .max))
        let timed = Self.recording { $0.duration_ns = 500 }
        #expect(timed.isRunning(at: 1_499))
        #expect(!timed.isRunning(at: 1_500))
        let ended = Self.recording { $0.end_utc_ns = 1_200 }
        #expect(ended.isRunning(at: 1_199))
        #expect(!ended.isRunning(at: 1_200))
        #expect(Self.recording { $0.duration_ns = .max }.isRunning(at: 5_000))
    }

    @Test(
        "an invalid order is refused with a message",
        arguments: [
            ("recording", "../etc"), ("profile", "--output"), ("profile", "/etc/passwd"), ("profile", "./a"),
            ("profile", "secrets.yaml"), ("profile", ".."), ("profile", "a\u{1b}[2J"), ("profile", ""),
            ("id", ""),
            ("duration_ns", "0"), ("term", "-1"), ("term", "9223372036854775807"),
        ])
    func faults(field: String, value: String) {
        var order = GroupOrder(
            id: "a", coordinator: "c", term: 1, action: .begin, deadline_utc_ns: 1, recording: "r")
        #expect(NodeCommandHandler.fault(of: order) == nil)
        switch field {
        case "recording": order.recording = value
        case "profile": order.profile = value
        case "id": order.id = value
        case "duration_ns": order.duration_ns = Int64(value)
        default: order.term = Int64(value) ?? 0
        }
        #expect(NodeCommandHandler.fault(of: order) != nil)
    }

    @Test(
        "invalid messages are ignored",
        arguments: ["", "{", "[]", "null", "{\"node\":1}", String(repeating: "[", count: 1000), "\u{0}"])
    func rubbish(text: String) {
        let bytes = Array(text.utf8)
        #expect(GroupStatus.state(bytes) == nil)
        #expect(StoredRecording((bytes, 1), of: "studio", at: 0).recording == nil)
        #expect(Coordinator.heartbeat(bytes) == nil)
        #expect(throws: GroupError.self) { try GroupCaller.answer(bytes) }
    }

    @Test(
        "answers are sent only to inboxes, never into a stream or to another member",
        arguments: [
            ("_INBOX_serving.abc.1", true), ("_R_.4EsxcP.38JxLI", true), ("mc.studio.event.right", false),
            ("$KV.mc-sessions.studio.recording", false), ("$JS.API.STREAM.DELETE.x", false), ("", false),
        ])
    func inboxes(subject: String, isInbox: Bool) {
        #expect(GroupSubjects.isInbox(subject) == isInbox)
    }

    @Test("a state must have a valid node name and a limited size")
    func states() throws {
        func bytes(_ change: (inout NodeState) -> Void) throws -> [UInt8] {
            var state = NodeState(node: "left", at_utc_ns: .max, state: "standby")
            change(&state)
            return Array(try JSONEncoder().encode(state))
        }
        #expect(GroupStatus.state(try bytes { _ in })?.node == "left")
        #expect(GroupStatus.state(try bytes { $0.node = "../x" }) == nil)
        #expect(GroupStatus.state(try bytes { $0.page = String(repeating: "x", count: 20_000) }) == nil)
    }

    @Test("a node's state is printed without control characters")
    func shown() {
        let bad = "\u{1b}[2J\u{9b}x\n"
        let state = NodeState(
            node: "left", at_utc_ns: .min, state: bad, profile: bad, recording: nil, time_ns: .min,
            lost_frames: .min, disk_seconds: -.greatestFiniteMagnitude, cost: .greatestFiniteMagnitude,
            pressure: bad)
        for recording in [nil, bad, String(repeating: "x", count: 10_000)] {
            var state = state
            state.recording = recording
            let line = GroupStatus.line(state)
            #expect(line == line.printable(limit: 1000))
            #expect(!line.contains("\u{1b}"))
        }
    }

    @Test("each event line is read once, and an incomplete line only after it is complete")
    func eventFile() throws {
        let folder =
            FileManager.default.temporaryDirectory.path + "/events-\(UInt64.random(in: 0...UInt64.max))"
        let path = folder + "/events.ndjson"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { _ = Result { try FileManager.default.removeItem(atPath: folder) } }
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        var file = EventFile("events.ndjson", in: folder)
        #expect(file.readNext().isEmpty)
        try write("{\"a\":1}\n{\"b\"")
        #expect(file.readNext().map(\.line) == ["{\"a\":1}"])
        #expect(file.readNext().isEmpty)
        try write("{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n")
        let rest = file.readNext()
        #expect(rest.map(\.line) == ["{\"b\":2}", "{\"c\":3}"])
        #expect(rest.map(\.number) == [2, 3])
        // A link could make the node publish an arbitrary file.
        try FileManager.default.createSymbolicLink(atPath: folder + "/link.ndjson", withDestinationPath: path)
        var link = EventFile("link.ndjson", in: folder)
        #expect(link.readNext().isEmpty)
    }
}
