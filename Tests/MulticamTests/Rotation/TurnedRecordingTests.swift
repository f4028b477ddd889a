import Foundation
import MulticamMedia
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Testing

@Suite("Recordings on a computer that is turned")
struct TurnedRecordingTests {
    /// The computer is held on its left side, so that the camera's frame arrives rotated by 90°.
    private static let profile = """
        cameras: { face: { device: "virtual:clap?mount=90&position=back&phase=0", size: 640x360, rate: 30, rotation: sensor } }
        program: { size: 360x640, rate: 30, layout: single, main: face }
        tracks: { cameras: copy, microphones: none }
        """
    private static let upright = FrameSize(width: 360, height: 640)

    @Test(
        "a recording begins with the current angle; the program follows at a tick, the file keeps its matrix, and nothing is lost"
    )
    func follows() async throws {
        let tracker = SyntheticTracker(.rotated(.quarter))
        let host = ControllerHost { _, look in
            if look == 1 { tracker.report(.rotated(.half)) }
            if look == 2 { tracker.report(.rotated(.quarter)) }
        }
        let recording = try await Recording(
            Self.profile, seconds: 4, host: host, tracker: tracker, steer: host.attach)
        let changes = try #require(recording.manifest.changes)
        #expect(changes.map(\.changes) == [["rotate face 180"], ["rotate face 90"]])
        let strips = try Reader.strips(recording.path("program.mp4"), size: Self.upright)
        #expect(strips.count == 120)
        for (index, strip) in strips.enumerated() {
            let time = Int64(index) * 1_000_000_000 / 30 + 1_000_000
            let isUpright = time < changes[0].at_ns || time >= changes[1].at_ns
            #expect((strip != nil) == isUpright, "frame \(index)")
        }
        for name in ["program", "face"] {
            let frames = try #require(try recording.track(name).frames)
            #expect(frames.written == 120 && frames.lost.isEmpty && frames.duplicated == 0, "\(name)")
        }
        #expect(recording.manifest.gaps.isEmpty)
        let file = try #require(try Reader.streams(recording.path("cameras/face.mov")).first)
        #expect(file.rotation == -90)
        #expect(
            try recording.turns == [
                "camera face was rotated: its frames are now rotated 180° clockwise, and the program was updated; cameras/face.mov keeps its initial rotation.",
                "camera face was rotated: its frames are now rotated 90° clockwise, and the program was updated; cameras/face.mov keeps its initial rotation.",
            ])
    }

    @Test("on standby, each recording's file begins with the angle at its start")
    func standsBy() async throws { try await SingleThreadExecutor.run(Self.standsBy) }

    private static func standsBy() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "turned-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: scratch) } }
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let file = scratch.appending(path: "test.yaml")
        try Self.profile.write(to: file, atomically: true, encoding: .utf8)
        let tracker = SyntheticTracker(.rotated(.quarter))
        var configuration = SessionConfiguration(profile: file.path)
        configuration.orientationTracker = tracker
        let setup = try SessionSetup(configuration)
        let session = MulticamSession(
            setup,
            RecordingOptions(
                parentFolder: scratch.path, name: "session", duration: .milliseconds(500), version: "0.0.0"))
        let rotation = try #require(setup.trackRotation(of: session))
        try await session.standBy()
        let first = try await session.recordChecked()
        tracker.report(.rotated(.threeQuarters))
        let second = try await session.recordChecked()
        await session.close()
        rotation.stop()
        let turns = try [first, second].map { result in
            try Reader.streams(result.folder + "/cameras/face.mov").first?.rotation
        }
        #expect(turns == [-90, 90])
        #expect(second.manifest.changes?.isEmpty ?? true)
    }

    @Test(
        "after a turn between planning and recording, program and file are upright from the first frame on"
    )
    func before() async throws {
        let tracker = SyntheticTracker(.rotated(.half))
        let recording = try await Recording(
            Self.profile, seconds: 1, tracker: tracker, steer: { _ in tracker.report(.rotated(.quarter)) })
        #expect(recording.manifest.changes?.map(\.at_ns) == [0])
        let strips = try Reader.strips(recording.path("program.mp4"), size: Self.upright)
        #expect(strips.count == 30 && strips.allSatisfy { $0 != nil })
        #expect(try Reader.streams(recording.path("cameras/face.mov")).first?.rotation == -90)
    }

    @Test("without an orientation sensor a recording is refused")
    func blind() async throws {
        do {
            _ = try await Recording(
                Self.profile, seconds: 1, tracker: SyntheticTracker(.unknown("no accelerometer was found")))
            Issue.record("it was recorded")
        } catch let error as SetupError {
            guard case .profile(let problem) = error else { throw error }
            #expect(problem.isMissingDevice && problem.field == "cameras.face.rotation")
            #expect(problem.description.contains("because no accelerometer was found"))
        }
    }
}
