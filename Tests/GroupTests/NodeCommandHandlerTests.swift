import Foundation
import MulticamControl
import MulticamMedia
import Testing

@testable import MulticamGroup

@Suite("Commands to a node")
struct NodeCommandHandlerTests {
    /// Calls `body` with the handler of a node with the running recording "r", its journal, and its
    /// recordings folder.
    private func withHandler(
        _ recorders: SimulatedRecorderHost = SimulatedRecorderHost(),
        _ body: (NodeCommandHandler, NodeJournal, URL) throws -> Void
    ) throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
        defer {
            do {
                try FileManager.default.removeItem(at: place)
            } catch {
                print("left behind: \(place.path)")
            }
        }
        let folder = try GroupFolder("studio", environment: ["XDG_CONFIG_HOME": place.path])
        try folder.make()
        let journal = try NodeJournal(in: folder)
        let clock = GroupClock(nil)
        defer { clock.end() }
        let desk = NodeCommandHandler(
            "left",
            RecorderSupervisor(recorders, profile: "pip"), journal, clock,
            output: place.path)
        var entry = NodeRecording(recording: "r", t0_utc_ns: 1, term: 1)
        entry.outcome = "recording"
        #expect(try journal.admit(entry) == .begin)
        try body(desk, journal, place)
    }

    @Test(
        "a recording that begins during a status request isn't considered over because of the outdated status"
    )
    func beginning() throws {
        try withHandler { desk, journal, _ in
            let status = desk.reconcile {
                // The recording begins during the request.
                journal.update("r") { $0.folder = "f" }
                return nil
            }
            #expect(status == nil && journal.entry("r")?.outcome == "recording")
            // The next check finds both recordings.
            #expect(desk.reconcile { nil } == nil && journal.entry("r")?.outcome == "unfinished")
        }
    }

    @Test("a recorder too busy to answer still counts as recording, because its folder is locked")
    func busy() throws {
        try withHandler { desk, journal, place in
            journal.update("r") { $0.folder = "f" }
            try FileManager.default.createDirectory(
                at: place.appending(path: "f"), withIntermediateDirectories: true)
            let events = open(
                place.appending(path: "f/events.ndjson").path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            #expect(events >= 0 && flock(events, LOCK_EX | LOCK_NB) == 0)
            _ = desk.reconcile { nil }
            #expect(journal.entry("r")?.outcome == "recording")
            // The recorder has died.
            close(events)
            _ = desk.reconcile { nil }
            #expect(journal.entry("r")?.outcome == "unfinished")
        }
    }

    /// Returns a node's answer to an order.
    private func answer(_ desk: NodeCommandHandler, _ order: GroupOrder) throws -> GroupAnswer {
        let answer = ConditionLock<GroupAnswer?>(nil)
        desk.handle(Array(try JSONEncoder().encode(order))) { given in answer.broadcast { $0 = given } }
        return answer.wait { $0 }
    }

    @Test("a repeated order gets the same answer, and is executed once")
    func once() throws {
        let recorders = SimulatedRecorderHost(running: [7: "pip"])
        try withHandler(recorders) { desk, _, _ in
            var order = GroupOrder(
                id: "a", coordinator: "c", term: 1, action: .ctl, deadline_utc_ns: .max, recording: "r")
            order.words = ["split"]
            let answers = [try answer(desk, order), try answer(desk, order)]
            #expect(answers[0].ok && answers[0] == answers[1])
            #expect(recorders.log == ["split"])
            order.id = "b"
            _ = try answer(desk, order)
            #expect(recorders.log == ["split", "split"])
        }
    }

    @Test("an order after its deadline, or from a replaced coordinator, isn't executed")
    func stalled() throws {
        let recorders = SimulatedRecorderHost(running: [7: "pip"])
        try withHandler(recorders) { desk, journal, _ in
            journal.update("r") { $0.term = 5 }
            var order = GroupOrder(
                id: "a", coordinator: "c", term: 5, action: .stop, deadline_utc_ns: 1, recording: "r")
            let late = try answer(desk, order)
            #expect(!late.ok && late.text.contains("deadline"))
            (order.id, order.term, order.deadline_utc_ns) = ("b", 4, .max)
            let former = try answer(desk, order)
            #expect(!former.ok && former.text.contains("taken over"))
            #expect(recorders.log.isEmpty && journal.entry("r")?.isRunning == true)
            // A report changes nothing, so any coordinator may request it.
            (order.id, order.action) = ("c", .report)
            let report = try answer(desk, order)
            #expect(report.recording?.recording == "r")
        }
    }

    @Test("an end time far in the future is due to a wrong clock, so the recording ends immediately")
    func farEnd() throws {
        let recorders = SimulatedRecorderHost(running: [7: "pip"], recording: [7])
        try withHandler(recorders) { desk, journal, _ in
            journal.update("r") { ($0.folder, $0.first_ns) = ("r", 0) }
            let order = GroupOrder(
                id: "a", coordinator: "c", term: 1, action: .stop, deadline_utc_ns: .max, recording: "r",
                at_utc_ns: .max)
            let given = try answer(desk, order)
            #expect(given.ok, "\(given.text)")
            #expect(recorders.log == ["stop"])
        }
    }

    @Test("a recording that began late ends together with the others")
    func lateBeginning() throws {
        let recorders = SimulatedRecorderHost(running: [7: "pip"], recording: [7])
        try withHandler(recorders) { desk, journal, _ in
            let now = desk.clock.now
            journal.update("r") { entry in
                (entry.folder, entry.first_ns, entry.t0_utc_ns) = ("r", 5_000_000_000, now - 9_000_000_000)
                entry.duration_ns = 3_600_000_000_000
            }
            _ = desk.reconcile { desk.recorder.status }
            #expect(recorders.log.isEmpty)
            journal.update("r") { $0.duration_ns = 8_000_000_000 }
            _ = desk.reconcile { desk.recorder.status }
            #expect(recorders.log == ["stop"])
        }
    }

    @Test("a session folder that is a link isn't read, because it could point to any recording")
    func linkedFolder() throws {
        try withHandler { desk, journal, place in
            journal.update("r") { $0.folder = "f" }
            let other = place.appending(path: "other")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: place.appending(path: "f"), withDestinationURL: other)
            let events = open(
                other.appending(path: "events.ndjson").path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            defer { close(events) }
            #expect(events >= 0 && flock(events, LOCK_EX | LOCK_NB) == 0)
            _ = desk.reconcile { nil }
            #expect(journal.entry("r")?.outcome == "unfinished")
        }
    }

    @Test("the clock log is written into the session folder, and never through a link")
    func clockFile() throws {
        let reading = GroupClockReading(
            source: "s", offset_ns: 1, bound_ns: 2, root_delay_ns: 2, root_dispersion_ns: 1, ppm: 0,
            age_ns: 0,
            steps: 0)
        let instant = ClockPair(monotonic: ClockTime(nanoseconds: 5), utc: 5)
        try withHandler { _, _, place in
            let folder = place.appending(path: "f")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for _ in 0..<2 {
                try ClockLog(in: "f", of: place.path, from: ClockTime(nanoseconds: 1), after: nil)
                    .write(reading, at: instant)
            }
            let file = folder.appending(path: "clock.ndjson")
            #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count == 2)
            let canary = place.appending(path: "canary")
            try Data().write(to: canary)
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: canary)
            #expect(throws: GroupError.self) {
                try ClockLog(in: "f", of: place.path, from: ClockTime(nanoseconds: 1), after: nil)
            }
            #expect(try Data(contentsOf: canary).isEmpty)
        }
    }

    @Test("a node that crashed between `begin` and T0 takes part in the next recording")
    func stale() throws {
        try withHandler { desk, journal, _ in
            let order = GroupOrder(
                id: "a", coordinator: "c", term: 1, action: .prepare, deadline_utc_ns: .max, recording: "next"
            )
            let given = try answer(desk, order)
            #expect(given.ok, "\(given.text)")
            #expect(journal.running == nil && journal.entry("r")?.neverStarted == true)
        }
    }

    @Test("the next recording is refused while one is running")
    func running() throws {
        try withHandler(SimulatedRecorderHost(running: [7: "pip"], recording: [7])) { desk, journal, _ in
            journal.update("r") { $0.folder = "r" }
            let order = GroupOrder(
                id: "a", coordinator: "c", term: 1, action: .prepare, deadline_utc_ns: .max, recording: "next"
            )
            let given = try answer(desk, order)
            #expect(!given.ok && given.text.contains("recording r"))
        }
    }

    @Test(
        "a recorder that doesn't answer before T0 is stopped, so that it can't begin unnoticed"
    )
    func unanswered() throws {
        let recorders = SimulatedRecorderHost(running: [7: "pip"])
        recorders.state.withLock { $0.unanswered = ["start"] }
        try withHandler(recorders) { desk, journal, _ in
            journal.update("r") { $0.outcome = "finished" }
            try desk.begin("next", at: desk.clock.now, for: nil, term: 1)
            while journal.running != nil { sched_yield() }
            #expect(journal.entry("next")?.outcome == "failed")
            #expect(recorders.log == ["start", "stop"])
        }
    }

    @Test(
        "an implausible T0 is refused with a message, without starting a recording",
        arguments: [3600, 86_400 * 365 * 30, -86_400 * 365] as [Int64])
    func implausible(seconds: Int64) throws {
        try withHandler { desk, journal, _ in
            journal.update("r") { $0.outcome = "finished" }
            for start in [(Nanoseconds(desk.clock.now) + .seconds(seconds)).count, .max, .min] {
                #expect(throws: GroupError.self) {
                    try desk.begin("next", at: start, for: nil, term: 1)
                }
            }
            #expect(journal.entry("next") == nil && journal.running == nil)
        }
    }

    @Test("commands of other computers are marked for the recorder, and commands of the node aren't")
    func origin() throws {
        let recorders = SimulatedRecorderHost(running: [7: "pip"], recording: [7])
        try withHandler(recorders) { desk, journal, _ in
            journal.update("r") { ($0.folder, $0.first_ns) = ("r", 0) }
            var order = GroupOrder(
                id: "a", coordinator: "c", term: 1, action: .ctl, deadline_utc_ns: .max, recording: "r")
            order.words = ["split"]
            let split = try answer(desk, order)
            order = GroupOrder(
                id: "b", coordinator: "c", term: 1, action: .stop, deadline_utc_ns: .max, recording: "r",
                at_utc_ns: .max)
            let stop = try answer(desk, order)
            #expect(split.ok && stop.ok)
            #expect(recorders.log == ["split", "stop"] && recorders.fromGroup == ["split"])
        }
    }

    @Test("an error in a profile is reported to the coordinator without the profile's contents")
    func profileFault() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { _ = Result { try FileManager.default.removeItem(at: place) } }
        let program = place.appending(path: "recorder")
        try "#!/bin/sh\necho 'multicam: secrets.yaml:1:1: found `hunter2`' >&2\nexit 2\n".write(
            to: program, atomically: true, encoding: .utf8)
        chmod(program.path, 0o755)
        let folder = try GroupFolder("studio", environment: ["XDG_CONFIG_HOME": place.path])
        try folder.make()
        let clock = GroupClock(nil)
        defer { clock.end() }
        let desk = NodeCommandHandler(
            "left",
            RecorderSupervisor(
                RecorderProcesses(folder: folder, program: program.path, arguments: []), profile: "pip"),
            try NodeJournal(in: folder), clock, output: place.path)
        let order = GroupOrder(
            id: "a", coordinator: "c", term: 1, action: .prepare, deadline_utc_ns: .max, recording: "r2",
            profile: "secrets")
        let answers = ConditionLock<[GroupAnswer]>([])
        desk.handle(Array(try JSONEncoder().encode(order))) { answer in
            answers.broadcast { $0.append(answer) }
        }
        let answer = answers.wait { $0.first }
        #expect(!answer.ok && answer.exit == 2)
        #expect(answer.text.contains("`secrets` cannot be used") && !answer.text.contains("hunter2"))
    }

    @Test(
        "an invalid exit status becomes 1, so that it never appears as 0 in the shell",
        arguments: [(0, 0), (6, 6), (255, 255), (256, 1), (-256, 1), (.min, 1)] as [(Int32, Int32)])
    func statuses(told: Int32, taken: Int32) {
        var part = NodeRecording(recording: "r", t0_utc_ns: 1, term: 1)
        part.exit = told
        #expect(part.status == taken)
        let refusal = GroupAnswer(id: "a", node: "n", ok: false, text: "t", exit: told)
        #expect(refusal.status == max(taken, 1))
    }

    @Test(
        "of two processes that monitor a group, one writes the state file, and the other takes over afterwards"
    )
    func stateFile() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
            .path
        defer { for end in ["", ".lock"] { unlink(path + end) } }
        func text() -> String? {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
        let first = try #require(NodeStateFile(path))
        let second = try #require(NodeStateFile(path))
        first.write("first")
        second.write("second")
        #expect(text() == "first")
        second.end()
        #expect(text() == "first")
        first.end()
        #expect(text() == nil)
        second.write("second")
        #expect(text() == "second")
        second.end()
    }
}
