import Containers
import Foundation
import Media
import SessionFolder
import Testing
import Timing

@testable import Interchange

@Suite("A group's recording as one session")
struct GroupRecordingTests {
    private static let second: Int64 = 1_000_000_000

    /// Two nodes, of which the second heard of the recording four seconds late, and whose clock on the wall is a minute ahead.
    private static func session(
        early: Nanoseconds = .zero, marks: [Int64] = [-2 * second + 30]
    ) throws -> RecordedSession {
        func part(_ duration: Int64, _ started: String) throws -> RecordedSession {
            var manifest = TestManifest.make(
                duration: duration,
                tracks: [
                    TestManifest.camera("desk", duration: duration),
                    TestManifest.microphone("host", duration: duration),
                ], started: started)
            manifest.people = ["host": "Ada"]
            manifest.marks = marks.map { Manifest.Mark(at_ns: duration + $0, text: "question") }
            manifest.gaps = [
                Gap(
                    track: "desk", from: .zero, to: MediaTime(nanoseconds: second / 2), cause: "unplugged")
            ]
            return try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        }
        func node(_ name: String, _ first: Int64) -> GroupManifest.Node {
            GroupManifest.Node(
                name: name, folder: "f", first_ns: first, t0_monotonic_ns: 1, outcome: "finished", clock: nil)
        }
        let group = GroupManifest(
            group: "studio", recording: "2026-11-23_142310_studio", t0_utc_ns: 1_795_443_790 * second,
            duration_ns: nil, nodes: [node("left", 0), node("right", 4 * second)], missing: ["third"])
        return try #require(
            RecordedSession(
                group,
                joining: [
                    ("left", try part(10 * second, "2026-11-23T14:23:10.000000000+01:00"), .zero - early),
                    ("right", try part(6 * second, "2026-11-23T14:24:14.000000000+01:00"), .seconds(4)),
                ]))
    }

    @Test("has all angles and microphones under their nodes' names, each where it belongs")
    func tracks() throws {
        let session = try Self.session()
        #expect(session.angles.map(\.role) == ["left/desk", "right/desk"])
        #expect(session.microphones.map(\.role) == ["left/host", "right/host"])
        let late = try #require(session.angle("right/desk"))
        #expect(late.parts.map(\.file) == ["right/cameras/desk.mov"])
        #expect(late.parts[0].from.nanoseconds == 4 * Self.second)
        #expect(late.parts[0].to.nanoseconds == 10 * Self.second)
        #expect(late.gaps[0].from.nanoseconds == 4 * Self.second)
        #expect(session.duration.nanoseconds == 10 * Self.second && session.rate == FrameRate(30, per: 1))
        #expect(session.people == ["left/host": "Ada", "right/host": "Ada"])
        #expect(session.problems.contains { $0.contains("third") })
    }

    @Test("has a mark that all nodes have once, and each of two that follow each other at once")
    func marks() throws {
        #expect(try Self.session().marks.map(\.text) == ["question"])
        let twice = try Self.session(marks: [-2 * Self.second, -2 * Self.second + 50_000_000])
        #expect(twice.marks.map(\.at_ns) == [8 * Self.second, 8 * Self.second + 50_000_000])
    }

    @Test("begins with the node that began before the group's T0, and has all others as much later")
    func early() throws {
        let early = Nanoseconds.milliseconds(20)
        let session = try Self.session(early: early)
        #expect(session.angle("left/desk")?.parts[0].from == .zero)
        #expect(session.angle("right/desk")?.parts[0].from.nanoseconds == 4 * Self.second + early.count)
        #expect(session.angle("right/desk")?.gaps[0].from.nanoseconds == 4 * Self.second + early.count)
        #expect(session.startSince1970 == Nanoseconds(1_795_443_790 * Self.second) - early)
    }

    @Test("has the wall clock of its nodes, wherever it is read")
    func timeZone() throws {
        let session = try Self.session()
        #expect(session.secondsFromGMT == 3600)
        let utc = Nanoseconds(session.startSince1970.count % (86_400 * Self.second))
        #expect(session.start.sinceMidnight == utc + .seconds(3600))
    }

    @Test("is no recording where a node's folder has a group in it, which may be the same folder again")
    func recursion() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: place)
            } catch {
                print("left behind: \(place.path)")
            }
        }
        let node = GroupManifest.Node(
            name: "left", folder: "f", first_ns: 0, t0_monotonic_ns: 1, outcome: "finished", clock: nil)
        let group = GroupManifest(
            group: "studio", recording: "r", t0_utc_ns: 1, duration_ns: nil, nodes: [node], missing: [])
        try JSONEncoder().encode(group).write(to: place.appending(path: GroupManifest.fileName))
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/left", withDestinationPath: place.path)
        #expect(throws: FileError.self) { try RecordedSession(folder: place.path) }
    }

    @Test(
        "takes each file's time code and time reference for what the computer that made it had on its clock")
    func mediaStarts() throws {
        let session = try Self.session()
        let timeline = EditTimeline(session, cut: .none(of: session))
        func start(_ role: String, sound: Bool = false) throws -> Double {
            let track = try #require((sound ? session.microphones : session.angles).first { $0.role == role })
            return timeline.mediaStart(of: track.parts[0]).frames(at: FrameRate(1, per: 1))
        }
        let (left, right) = (14 * 3600 + 23 * 60 + 10.0, 14 * 3600 + 24 * 60 + 14.0)
        #expect(try start("left/desk") == left)
        #expect(try start("right/desk") == right)
        #expect(try start("left/host", sound: true) == left)
        #expect(try start("right/host", sound: true) == right)
        // On the timeline the late angle stands behind a hole, and begins with its file's first frame.
        #expect(timeline.angles[1].clips.map(\.frames) == [120..<300])
        #expect(timeline.angles[1].clips[0].start.frames(at: FrameRate(1, per: 1)) == 0)
    }
}
