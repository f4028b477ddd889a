import Foundation
import MulticamMedia
import Testing

@testable import MulticamGroup

@Suite("Recording in the broker's store")
struct StoredRecordingTests {
    private static let now: Int64 = 1_795_889_000_000_000_000

    private static func recording(_ change: (inout GroupRecording) -> Void = { _ in }) -> GroupRecording {
        var recording = GroupRecording(
            name: "2026-11-23_142310_studio", group: "studio", coordinator: "left", term: 1,
            t0_utc_ns: now - 5_000_000_000, nodes: ["left", "right"])
        change(&recording)
        return recording
    }

    private static func stored(_ recording: GroupRecording) throws -> StoredRecording {
        StoredRecording((Array(try JSONEncoder().encode(recording)), 7), of: "studio", at: now)
    }

    private static func isImplausible(_ stored: StoredRecording) -> Bool {
        if case .implausible(_, 7) = stored { true } else { false }
    }

    @Test("a plausible recording is used")
    func plausible() throws {
        let recording = Self.recording { $0.duration_ns = 5 }
        #expect(try Self.stored(recording) == .recording(recording, revision: 7))
        #expect(StoredRecording(nil, of: "studio", at: Self.now) == .none)
        // Coordinators choose a T0 that is a few seconds ahead.
        let ahead = Self.recording { $0.t0_utc_ns = Self.now + 3_000_000_000 }
        #expect(try Self.stored(ahead).recording == ahead)
    }

    @Test(
        "a recording that no coordinator can have stored is implausible and keeps its revision",
        arguments: [
            { $0.term = .max }, { $0.term = -1 }, { $0.t0_utc_ns = now + 30 * 365 * 86_400_000_000_000 },
            { $0.t0_utc_ns = now + 3600_000_000_000 }, { $0.t0_utc_ns = .max }, { $0.t0_utc_ns = .min },
            { $0.duration_ns = 0 }, { $0.duration_ns = .min }, { $0.end_utc_ns = -1 }, { $0.name = "../x" },
            { $0.nodes = ["a.>"] }, { $0.nodes = [] }, { $0.nodes = ["left", "left"] },
            { $0.nodes = (0...256).map { "n\($0)" } }, { $0.group = "other" },
        ] as [@Sendable (inout GroupRecording) -> Void])
    func implausible(_ change: @Sendable (inout GroupRecording) -> Void) throws {
        #expect(Self.isImplausible(try Self.stored(Self.recording(change))))
    }

    @Test(
        "a value that can't be decoded is implausible and keeps its revision",
        arguments: [
            "", "{", "[]", "null", "{\"name\":1}", String(repeating: "[", count: 1000), "\u{0}",
            String(repeating: " ", count: 100_000),
        ])
    func undecodable(text: String) {
        #expect(Self.isImplausible(StoredRecording((Array(text.utf8), 7), of: "studio", at: Self.now)))
    }

    @Test(
        "the term after the highest one doesn't overflow",
        arguments: [(0, 1), (-5, 1), (7, 8)] as [(Int64, Int64)])
    func terms(term: Int64, next: Int64) {
        #expect(GroupRecording.term(after: term) == next)
        for high in [GroupRecording.highestTerm, .max] {
            #expect(GroupRecording.term(after: high) == GroupRecording.highestTerm)
        }
    }

    // MARK: A new coordinator

    @Test("a new recording replaces an ended or implausible one")
    func beginning() throws {
        let ended = Self.recording { ($0.end_utc_ns, $0.term) = (Self.now - 1, 4) }
        for (stored, term) in [
            (try Self.stored(ended), 5), (.none, 1),
            (.implausible("the data cannot be decoded", revision: 7), 1),
        ] as [(StoredRecording, Int64)] {
            let choice = CoordinatorChoice(stored: stored, heartbeats: [], nodes: [:], at: Self.now)
            #expect(choice == .begin(term: term))
        }
    }

    @Test("a recording is taken over if its coordinator is silent, even with the highest term")
    func takingOver() throws {
        let stored = try Self.stored(Self.recording { $0.term = GroupRecording.highestTerm })
        let nodes = ["left": Self.recording().name as String?]
        let choice = CoordinatorChoice(stored: stored, heartbeats: [], nodes: nodes, at: Self.now)
        #expect(choice == .takeOver(Self.recording { $0.term = GroupRecording.highestTerm }))
    }

    @Test("a recording with an active coordinator isn't taken over")
    func coordinated() throws {
        let name = Self.recording().name
        let sign = CoordinatorHeartbeat(recording: name, term: 1, coordinator: "right")
        let choice = CoordinatorChoice(
            stored: try Self.stored(Self.recording()), heartbeats: [sign], nodes: [:], at: Self.now)
        #expect(choice == .refuse(coordinator: "right", recording: name))
    }

    @Test(
        "a recording that all nodes have given up is replaced; it is taken over if a node's state is unknown"
    )
    func abandoned() throws {
        let stored = try Self.stored(Self.recording { $0.t0_utc_ns = Self.now - 60_000_000_000 })
        let idle = ["left": nil, "right": nil] as [String: String?]
        #expect(
            CoordinatorChoice(stored: stored, heartbeats: [], nodes: idle, at: Self.now) == .begin(term: 2))
        for nodes in [["left": nil], ["left": nil, "right": Self.recording().name]] as [[String: String?]] {
            let choice = CoordinatorChoice(stored: stored, heartbeats: [], nodes: nodes, at: Self.now)
            guard case .takeOver = choice else {
                Issue.record("\(choice)")
                continue
            }
        }
    }

    @Test("a recording that nodes are making is recovered if the store has lost it")
    func recovering() throws {
        let ended = try Self.stored(Self.recording { $0.end_utc_ns = Self.now - 1 })
        let nodes = ["left": "lost", "right": nil, "third": "lost"] as [String: String?]
        for stored in [.none, .implausible("it can't be decoded", revision: 7), ended] as [StoredRecording] {
            #expect(CoordinatorChoice.needsHeartbeats(stored: stored, nodes: nodes, at: Self.now))
            let choice = CoordinatorChoice(stored: stored, heartbeats: [], nodes: nodes, at: Self.now)
            #expect(choice == .recover(recording: "lost", nodes: ["left", "third"]))
        }
        // Nodes that are about to end the stored recording don't block the next one.
        let ending = ["left": Self.recording().name as String?]
        #expect(
            CoordinatorChoice(stored: ended, heartbeats: [], nodes: ending, at: Self.now) == .begin(term: 2))
        let sign = CoordinatorHeartbeat(recording: "lost", term: 1, coordinator: "right")
        #expect(
            CoordinatorChoice(stored: .none, heartbeats: [sign], nodes: nodes, at: Self.now)
                == .refuse(coordinator: "right", recording: "lost"))
    }

    @Test(
        "a recording that only some nodes report is ended, so that a single node can't block the group"
    )
    func strays() throws {
        let ended = try Self.stored(Self.recording { $0.end_utc_ns = Self.now - 1 })
        for nodes in [
            ["left": nil, "right": nil, "liar": "lie"], ["left": nil, "liar": "lie"],
            ["left": "other", "right": nil, "liar": "lie"],
        ] as [[String: String?]] {
            let strays = nodes.compactMapValues { $0 }
            #expect(CoordinatorChoice.needsHeartbeats(stored: .none, nodes: nodes, at: Self.now))
            for (stored, term) in [(.none, 1), (ended, 2)] as [(StoredRecording, Int64)] {
                let choice = CoordinatorChoice(stored: stored, heartbeats: [], nodes: nodes, at: Self.now)
                #expect(choice == .begin(term: term, ending: strays))
            }
        }
        // A false report hides neither the other nodes' recording nor its coordinator.
        let nodes = ["left": "lost", "right": "lost", "aaa": "lie"] as [String: String?]
        #expect(
            CoordinatorChoice(stored: .none, heartbeats: [], nodes: nodes, at: Self.now)
                == .recover(recording: "lost", nodes: ["left", "right"]))
        let sign = CoordinatorHeartbeat(recording: "lost", term: 1, coordinator: "desk")
        #expect(
            CoordinatorChoice(stored: .none, heartbeats: [sign], nodes: nodes, at: Self.now)
                == .refuse(coordinator: "desk", recording: "lost"))
    }

    @Test("a recording that nodes are making is recovered even if the store has an older running one")
    func restored() throws {
        let older = try Self.stored(Self.recording { $0.t0_utc_ns = Self.now - 60_000_000_000 })
        let nodes = ["left": "newer", "right": "newer"] as [String: String?]
        #expect(
            CoordinatorChoice(stored: older, heartbeats: [], nodes: nodes, at: Self.now)
                == .recover(recording: "newer", nodes: ["left", "right"]))
    }

    // MARK: A node that doesn't report its end

    @Test("a recording is overdue one minute after its end, or when a newer one has begun")
    func overdue() {
        let running = Self.recording()
        #expect(!running.isOverdue(at: .max))
        #expect(!running.isOverdue(after: running, at: Self.now))
        #expect(
            running.isOverdue(
                after: Self.recording { ($0.name, $0.t0_utc_ns) = ("next", Self.now) }, at: Self.now))
        #expect(
            !running.isOverdue(
                after: Self.recording { ($0.name, $0.t0_utc_ns) = ("former", 1) }, at: Self.now))
        for change in [
            { $0.end_utc_ns = Self.now }, { ($0.t0_utc_ns, $0.duration_ns) = (Self.now - 5, 5) },
            { ($0.end_utc_ns, $0.duration_ns) = (Self.now, .max) },
        ] as [(inout GroupRecording) -> Void] {
            let ended = Self.recording(change)
            #expect(!ended.isOverdue(at: Self.now + 60_000_000_000))
            #expect(ended.isOverdue(at: Self.now + 60_000_000_001))
            // A coordinator doesn't take over the recording again, regardless of reports.
            let choice = CoordinatorChoice(
                stored: .recording(ended, revision: 1), heartbeats: [], nodes: ["left": ended.name],
                at: Self.now + 60_000_000_001)
            #expect(choice == .begin(term: 2, ending: ["left": ended.name]))
        }
        #expect(!Self.recording { $0.duration_ns = .max }.isOverdue(at: .max))
    }

    @Test("the group's status names a node that reports a recording that the group has ended")
    func status() {
        let latest = Self.recording { $0.end_utc_ns = Self.now }
        func isOverdue(_ recording: String?, _ latest: GroupRecording?, _ seconds: Int64 = 61) -> Bool {
            let state = NodeState(node: "liar", at_utc_ns: 0, state: "recording", recording: recording)
            return GroupStatus.isOverdue(
                state, latest, at: (Nanoseconds(Self.now) + .seconds(seconds)).count)
        }
        #expect(isOverdue(latest.name, latest) && isOverdue("lie", latest))
        #expect(!isOverdue(latest.name, latest, 59) && !isOverdue(nil, latest) && !isOverdue("lie", nil))
        var state = NodeState(node: "liar", at_utc_ns: 0, state: "recording", recording: "lie")
        #expect(!GroupStatus.line(state).contains("overdue"))
        state.overdue = true
        #expect(GroupStatus.line(state).contains("overdue"))
    }

    // MARK: A coordinator during its recording

    @Test("a store that has lost the recording, or has an older copy, is updated")
    func restoring() throws {
        let own = Self.recording { $0.term = 3 }
        // After the store is lost, terms restart at 1, so T0 determines which recording is older.
        let older = Self.recording { recording in
            (recording.name, recording.term) = ("2026-11-22_000000_studio", 9)
            recording.t0_utc_ns -= 1_000_000_000
        }
        for stored in [
            .none, .implausible("the data cannot be decoded", revision: 7), try Self.stored(older),
        ]
            as [StoredRecording]
        {
            #expect(StoreDecision(coordinating: own, stored: stored) == .store(own))
            #expect(StoreDecision.ending(own, at: 5, stored: stored)?.end_utc_ns == 5)
        }
        #expect(StoreDecision(coordinating: own, stored: try Self.stored(own)) == .unchanged)
    }

    @Test("a coordinator yields to its successor, and doesn't change a newer recording")
    func yielding() throws {
        let own = Self.recording { $0.term = 3 }
        let taken = Self.recording { ($0.term, $0.coordinator) = (4, "right") }
        #expect(StoreDecision(coordinating: own, stored: try Self.stored(taken)) == .yield(to: "right"))
        let newer = Self.recording { recording in
            (recording.name, recording.term) = ("2026-11-24_000000_studio", 1)
            recording.t0_utc_ns += 1_000_000_000
        }
        #expect(StoreDecision(coordinating: own, stored: try Self.stored(newer)) == .unchanged)
        #expect(StoreDecision.ending(own, at: 5, stored: try Self.stored(newer)) == nil)
        // The first end is final.
        let ended = Self.recording { ($0.term, $0.end_utc_ns) = (3, 4) }
        #expect(StoreDecision.ending(own, at: 5, stored: try Self.stored(ended)) == nil)
    }
}
