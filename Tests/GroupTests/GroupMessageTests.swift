import FoundationEssentials
import Testing

@testable import Group

@Suite("Messages of a group")
struct GroupMessageTests {
    private static func recording(_ change: (inout GroupRecording) -> Void = { _ in }) -> GroupRecording {
        var recording = GroupRecording(
            name: "2026-11-23_142310_studio", group: "studio", conductor: "left", term: 1, t0_utc_ns: 1_000,
            nodes: ["left", "right"])
        change(&recording)
        return recording
    }

    @Test("a recording runs until its duration is over, or until somebody has ended it")
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
        "an order that cannot be is refused with a sentence",
        arguments: [
            "recording": "../etc", "profile": "--output", "id": "", "duration_ns": "0", "term": "-1",
        ].sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    func faults(field: String, value: String) {
        var order = GroupOrder(
            id: "a", conductor: "c", term: 1, action: .begin, deadline_utc_ns: 1, recording: "r")
        #expect(NodeDesk.fault(of: order) == nil)
        switch field {
        case "recording": order.recording = value
        case "profile": order.profile = value
        case "id": order.id = value
        case "duration_ns": order.duration_ns = Int64(value)
        default: order.term = Int64(value) ?? 0
        }
        #expect(NodeDesk.fault(of: order) != nil)
    }

    @Test(
        "what is no message of the group is nothing",
        arguments: ["", "{", "[]", "null", "{\"node\":1}", String(repeating: "[", count: 1000), "\u{0}"])
    func rubbish(text: String) {
        let bytes = Array(text.utf8)
        #expect(GroupStatus.state(bytes) == nil)
        #expect(RecordingBoard.recording(bytes) == nil)
        #expect(Conductor.sign(bytes) == nil)
        #expect(throws: GroupError.self) { try GroupCaller.answer(bytes) }
    }

    @Test("a recording with names that are none is nothing")
    func names() throws {
        func text(_ change: (inout GroupRecording) -> Void) throws -> [UInt8] {
            Array(try JSONEncoder().encode(Self.recording(change)))
        }
        #expect(RecordingBoard.recording(try text { _ in }) != nil)
        #expect(RecordingBoard.recording(try text { $0.name = "../x" }) == nil)
        #expect(RecordingBoard.recording(try text { $0.nodes = ["a.>"] }) == nil)
    }

    @Test("each event line is read once, and half a line only when it is whole")
    func eventFile() throws {
        let path =
            FileManager.default.temporaryDirectory.path + "/events-\(UInt64.random(in: 0...UInt64.max))"
        defer { _ = Result { try FileManager.default.removeItem(atPath: path) } }
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        var file = EventFile(path)
        #expect(file.next().isEmpty)
        try write("{\"a\":1}\n{\"b\"")
        #expect(file.next().map(\.line) == ["{\"a\":1}"])
        #expect(file.next().isEmpty)
        try write("{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n")
        let rest = file.next()
        #expect(rest.map(\.line) == ["{\"b\":2}", "{\"c\":3}"])
        #expect(rest.map(\.number) == [2, 3])
    }
}
