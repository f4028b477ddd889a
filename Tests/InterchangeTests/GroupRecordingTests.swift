import Foundation
import MulticamContainers
import MulticamMedia
import MulticamSessionFolder
import MulticamTiming
import Testing

@testable import MulticamInterchange

@Suite("Group recording as one session")
struct GroupRecordingTests {
    private static let second: Int64 = 1_000_000_000

    /// Two nodes. The second one joined the recording four seconds late, and its wall clock is one minute
    /// ahead.
    private static func session(
        early: Nanoseconds = .zero, markers: [Int64] = [-2 * second + 30]
    ) throws -> RecordedSession {
        func part(_ duration: Int64, _ started: String) throws -> RecordedSession {
            var manifest = TestManifest.make(
                duration: duration,
                tracks: [
                    TestManifest.camera("desk", duration: duration),
                    TestManifest.microphone("host", duration: duration),
                ], started: started)
            manifest.people = ["host": "Ada"]
            manifest.markers = markers.map { Manifest.Marker(at_ns: duration + $0, text: "question") }
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

    @Test("a session has the angles and microphones of all nodes, with node names and correct times")
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

    @Test("a marker set on all nodes appears once, and two markers in quick succession both appear")
    func markers() throws {
        #expect(try Self.session().markers.map(\.text) == ["question"])
        let twice = try Self.session(markers: [-2 * Self.second, -2 * Self.second + 50_000_000])
        #expect(twice.markers.map(\.at_ns) == [8 * Self.second, 8 * Self.second + 50_000_000])
    }

    @Test("a session starts with a node that began before the group's T0, and shifts all others")
    func early() throws {
        let early = Nanoseconds.milliseconds(20)
        let session = try Self.session(early: early)
        #expect(session.angle("left/desk")?.parts[0].from == .zero)
        #expect(session.angle("right/desk")?.parts[0].from.nanoseconds == 4 * Self.second + early.count)
        #expect(session.angle("right/desk")?.gaps[0].from.nanoseconds == 4 * Self.second + early.count)
        #expect(session.startSince1970 == Nanoseconds(1_795_443_790 * Self.second) - early)
    }

    @Test("a session uses the nodes' time zone, not the reader's")
    func timeZone() throws {
        let session = try Self.session()
        #expect(session.secondsFromGMT == 3600)
        let utc = Nanoseconds(session.startSince1970.count % (86_400 * Self.second))
        #expect(session.start.timeSinceMidnight == utc + .seconds(3600))
    }

    @Test("a group nested in a node's folder is rejected, because it may be recursive")
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
        "files that begin after midnight count from midnight, for cameras and microphones",
        arguments: [30, 30000.0 / 1001])
    func afterMidnight(rate: Double) throws {
        let part = { (file: String) in
            [
                Manifest.Part(file: file, first_ns: 0),
                Manifest.Part(
                    file: file.replacingOccurrences(of: ".", with: "-2."), first_ns: 4_004_000_000),
            ]
        }
        var host = TestManifest.microphone("host", duration: 6_006_000_000)
        host.part_details = part("audio/host.wav")
        host.parts = host.part_details?.map(\.file)
        let manifest = TestManifest.make(
            duration: 6_006_000_000,
            tracks: [
                TestManifest.camera(
                    "desk", rate: rate, duration: 6_006_000_000, parts: part("cameras/desk.mov")),
                host,
            ], started: "2026-11-30T23:59:58.000000000+01:00")
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        let timeline = EditTimeline(session, cut: .none(of: session))
        let sound = try #require(session.microphones.first?.parts.last)
        let picture = try #require(session.angles.first?.parts.last)
        let second = FrameRate(1, per: 1)
        #expect(abs(timeline.mediaStart(of: sound).frames(at: second) - 2.004) < 0.0001)
        #expect(abs(timeline.mediaStart(of: picture).frames(at: second) - 2.004) < 2 / rate)
    }

    @Test(
        "a file's timecode and time reference follow the clock of the computer that recorded it")
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
        // In the timeline, the late angle follows a gap and starts with its file's first frame.
        #expect(timeline.angles[1].clips.map(\.frames) == [120..<300])
        #expect(timeline.angles[1].clips[0].start.frames(at: FrameRate(1, per: 1)) == 0)
    }

    @Test(
        "the clips of a split microphone stay within their files, although a frame isn't a whole number of samples"
    )
    func splitMicrophone() throws {
        let duration: Int64 = 9_409_400_000
        // Frame 141 begins at 4.7047 s. The next sample is 8 µs later.
        let boundary: Int64 = 4_704_708_333
        var microphone = TestManifest.microphone("host", duration: duration)
        microphone.parts = ["audio/host.wav", "audio/host-2.wav"]
        microphone.part_details = [
            Manifest.Part(file: "audio/host.wav", first_ns: 0),
            Manifest.Part(file: "audio/host-2.wav", first_ns: boundary),
        ]
        let manifest = TestManifest.make(
            duration: duration,
            tracks: [TestManifest.camera("desk", rate: 30_000.0 / 1001, duration: duration), microphone])
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        let timeline = EditTimeline(session, cut: .none(of: session))
        let clips = try #require(timeline.sounds.first).clips
        #expect(clips.map(\.frames) == [0..<141, 141..<282])
        #expect(clips.map(\.start) == [.zero, .zero])
    }
}
