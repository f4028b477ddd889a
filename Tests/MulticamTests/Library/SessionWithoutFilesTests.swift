import Foundation
import MulticamInputs
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Testing

@Suite("sessions without files")
struct SessionWithoutFilesTests {
    /// Data received by the taps and outputs of the program under test.
    private struct ReceivedData {
        var frames = 0
        var samples = 0
        var metadata = 0
        var ticks: [Int64] = []
        var events: [SessionEvent] = []
    }

    private static let nothing = """
        cameras: { a: { device: "virtual:clap?unplug=1&replug=1.5", size: 160x90, rate: 30 } }
        microphones: { m: { device: "virtual:tone" } }
        tracks: { cameras: none, microphones: none }
        """
    private static let everything = """
        cameras: { a: { device: "virtual:clap?unplug=1&replug=1.5", size: 160x90, rate: 30 } }
        microphones: { m: { device: "virtual:tone" } }
        program: { size: 320x180, rate: 30, layout: single, main: a, audio: { mix: [m] } }
        tracks: { cameras: copy, microphones: wav, metadata: ndjson }
        """

    /// Runs a profile for three seconds of simulated time in a temporary folder.
    private func run(
        _ profile: String, steer: (MulticamSession) throws -> Void = { _ in }
    ) async throws -> (heard: ReceivedData, left: [String]) {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "multicam-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "test.yaml")
        try profile.write(to: file, atomically: true, encoding: .utf8)
        let heard = ConditionLock(ReceivedData())
        let setup = try SessionSetup(SessionConfiguration(profile: file.path))
        let session = MulticamSession(
            setup,
            RecordingOptions(parentFolder: folder.path, name: "s", duration: .seconds(3), version: "0.0.0"),
            clock: SimulatedClock(),
            frameTaps: [
                FrameTap(role: "a", format: .asCaptured, capacity: 1000) { _ in
                    heard.withLock { $0.frames += 1 }
                }
            ],
            audioTaps: [
                AudioTap(role: "m", capacity: 1000) { slice in
                    heard.withLock { $0.samples += slice.samples.count }
                }
            ],
            metadataTaps: [
                MetadataTap(role: "a", capacity: 1000) { _ in heard.withLock { $0.metadata += 1 } }
            ],
            synchronizedOutputs: [
                SynchronizedOutput(roles: ["a", "m"], rate: FrameRate(10, per: 1), capacity: 1000) { tick in
                    heard.withLock { $0.ticks.append(tick.index) }
                }
            ])
        try steer(session)
        try await session.run()
        #expect(session.folderPath == nil)
        for await event in session.events { heard.withLock { $0.events.append(event) } }
        try FileManager.default.removeItem(at: file)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        try FileManager.default.removeItem(at: folder)
        return (heard.withLock { $0 }, left)
    }

    @Test(
        "devices, taps, and synchronized outputs run and create no folder", arguments: [nothing, everything])
    func runs(_ profile: String) async throws {
        let (heard, left) = try await run(profile)
        #expect(left.isEmpty)
        // The camera is disconnected for half a second. The number of frames before T0 depends on the
        // machine.
        #expect(heard.frames >= 70)
        #expect(heard.samples == 144_000)
        #expect((70...80).contains(heard.metadata))
        #expect(heard.ticks == Array(0..<30))
        #expect(heard.events.map(\.name).contains(.deviceLost))
        #expect(heard.events.map(\.name).contains(.deviceRestored))
        let started = try #require(heard.events.first { $0.name == .started })
        guard case .started(let content) = started.content else {
            Issue.record("\(started)")
            return
        }
        #expect(content.folder == nil)
    }

    @Test("the program's frames, audio, and packets are available although nothing is written")
    func program() async throws {
        let frames = ConditionLock(0)
        let packets = ConditionLock<[PacketTap.Packet]>([])
        let (_, left) = try await run(Self.everything) { session in
            try session.attach(
                FrameTap(role: "program", FrameRequest(.converted(.i420)), capacity: 1000) { _ in
                    frames.withLock { $0 += 1 }
                })
            try session.attach(
                PacketTap(capacity: 1000) { packet in packets.withLock { $0.append(packet) } })
        }
        #expect(left.isEmpty)
        let video = packets.withLock { $0.filter(\.isVideo) }
        #expect(video.count == 90)
        #expect(video.first?.isKey == true)
        #expect(packets.withLock { $0.count { !$0.isVideo } } >= 140)
        #expect(frames.withLock { $0 } >= 60)
    }

    @Test("changes apply as in a recording, but a track cannot be started")
    func changes() async throws {
        let (heard, left) = try await run(Self.everything) { session in
            session.mark("here")
            #expect(throws: SessionChangeError.self) { try session.apply([.startTrack(role: "a")]) }
            try session.apply([.layout(.grid)])
        }
        #expect(left.isEmpty)
        #expect(heard.events.map(\.name).contains(.mark))
    }

    @Test("devices on standby run without files and can then record all tracks")
    func standby() async throws {
        let folder = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"
        let profile = try Profile(yaml: Array(Self.standbyProfile.utf8), file: "standby.yaml")
        let setup = try SessionSetup(SessionConfiguration(profile: profile))
        let session = MulticamSession(
            setup,
            RecordingOptions(parentFolder: folder, name: "s", duration: .milliseconds(500), version: "0.0.0"))
        try await session.standBy()
        try await session.commit([.audible(role: "m", false)])
        try await session.run()
        #expect(session.folderPath == nil && !FileManager.default.fileExists(atPath: folder))
        // The microphone that was muted before can be heard again.
        try await session.commit([.audible(role: "m", true)])
        let result = try await session.record()
        await session.close()
        #expect(result.manifest.tracks.map(\.name) == ["a", "m", "program"])
        try FileManager.default.removeItem(atPath: folder)
    }

    private static let standbyProfile = """
        cameras: { a: { device: "virtual:clap", size: 160x90, rate: 30 } }
        microphones: { m: { device: "virtual:tone" } }
        program: { size: 320x180, rate: 30, layout: single, main: a, audio: { mix: [m] } }
        tracks: { cameras: copy, microphones: wav }
        """

    @Test("a plan that writes nothing cannot be recorded")
    func noRecording() async throws {
        await #expect(throws: RecordingError.nothingToWrite) {
            _ = try await Recording(Self.nothing, seconds: 1)
        }
    }
}
