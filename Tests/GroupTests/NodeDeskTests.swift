import Control
import Foundation
import Media
import Testing

@testable import Group

@Suite("What a node does for its group")
struct NodeDeskTests {
    /// The desk of a node whose recording "r" runs, with its journal and the folder of its recordings.
    private func withDesk(_ body: (NodeDesk, NodeJournal, URL) throws -> Void) throws {
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
        let desk = NodeDesk(
            "left", RecorderDesk(folder, program: "/nowhere", profile: "pip", arguments: []), journal, clock,
            output: place.path)
        var entry = NodeRecording(recording: "r", t0_utc_ns: 1, term: 1)
        entry.outcome = "recording"
        #expect(try journal.add(entry))
        try body(desk, journal, place)
    }

    @Test("a recording that begins while the recorder is asked is not over because it still stood by")
    func beginning() throws {
        try withDesk { desk, journal, _ in
            let status = desk.tend {
                // It begins at this moment.
                journal.update("r") { $0.folder = "f" }
                return nil
            }
            #expect(status == nil && journal.entry("r")?.outcome == "recording")
            // The next look knows both.
            #expect(desk.tend { nil } == nil && journal.entry("r")?.outcome == "unfinished")
        }
    }

    @Test("a recorder that has no time to answer still records: its folder is held")
    func busy() throws {
        try withDesk { desk, journal, place in
            journal.update("r") { $0.folder = "f" }
            try FileManager.default.createDirectory(
                at: place.appending(path: "f"), withIntermediateDirectories: true)
            let events = open(
                place.appending(path: "f/events.ndjson").path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            #expect(events >= 0 && flock(events, LOCK_EX | LOCK_NB) == 0)
            _ = desk.tend { nil }
            #expect(journal.entry("r")?.outcome == "recording")
            // It has died.
            close(events)
            _ = desk.tend { nil }
            #expect(journal.entry("r")?.outcome == "unfinished")
        }
    }

    @Test(
        "words that are the conductor's or the node's own are refused with a sentence",
        arguments: ["start", "stop", "quit", "clock"])
    func refusals(word: String) {
        #expect(NodeDesk.refusal(of: word)?.contains("`\(word)`") ?? false)
        #expect(NodeDesk.refusal(of: "mark") == nil)
    }

    @Test(
        "an exit status that cannot be is 1, so that none ends as 0 at the shell",
        arguments: [(0, 0), (6, 6), (255, 255), (256, 1), (-256, 1), (.min, 1)] as [(Int32, Int32)])
    func statuses(told: Int32, taken: Int32) {
        var part = NodeRecording(recording: "r", t0_utc_ns: 1, term: 1)
        part.exit = told
        #expect(part.status == taken)
        let refusal = GroupAnswer(id: "a", node: "n", ok: false, text: "t", exit: told)
        #expect(refusal.status == max(taken, 1))
    }

    @Test("of two processes that hear a group one writes what is heard, and the other when that has ended")
    func stateFile() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
            .path
        defer { for end in ["", ".lock"] { unlink(path + end) } }
        func text() -> String? {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
        let first = try #require(StateFile(path))
        let second = try #require(StateFile(path))
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
