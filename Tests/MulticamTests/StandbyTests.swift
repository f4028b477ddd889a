import Foundation
import MulticamEncoding
import MulticamInputs
import MulticamMedia
import MulticamMonitoring
import MulticamPlan
import MulticamSessionFolder
import MulticamSetup
import Testing

@testable import MulticamSession

@Suite("Devices on standby")
struct StandbyTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap?phase=0", size: 320x180, rate: 30 }
          face: { device: "virtual:bars?phase=5&unplug=0.6", size: 320x180, rate: 30 }
        microphones: { host: { device: "virtual:tone" } }
        program: { size: 320x180, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }
        """

    private static func session(in scratch: URL) throws -> MulticamSession {
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let file = scratch.appending(path: "test.yaml")
        try profile.write(to: file, atomically: true, encoding: .utf8)
        let setup = try SessionSetup(SessionConfiguration(profile: file.path))
        return MulticamSession(
            setup,
            RecordingOptions(
                parentFolder: scratch.path, name: "session", duration: .seconds(1), version: "0.0.0"))
    }

    @Test(
        "devices record any number of times, each into a new folder, and run in between; a camera lost in between is a slate in the next recording"
    )
    func twice() async throws { try await SingleThreadExecutor.run(Self.twice) }

    private static func twice() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "standby-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: scratch) } }
        let session = try Self.session(in: scratch)
        let events = Task { await session.events.reduce(into: [SessionEvent]()) { $0.append($1) } }
        try await session.standBy()
        let first = try await session.recordChecked()
        #expect(try await session.commit([.swap(with: "face")]) == .nextRecording)
        let second = try await session.recordChecked()
        let status = session.status
        await session.close()

        #expect(
            [first.folder, second.folder].map { ($0 as NSString).lastPathComponent } == [
                "session", "session-2",
            ])
        for result in [first, second] {
            #expect(result.manifest.outcome == .finished)
            for track in result.manifest.tracks {
                if let frames = track.frames { #expect(frames.accounts(for: 30), "\(track.name)") }
                if let samples = track.samples {
                    #expect(samples.written == 48000 && samples.silence < 24_000)
                }
                let times = try Reader.run(
                    "ffprobe",
                    [
                        "-v", "error", "-count_packets", "-show_entries", "stream=start_time,nb_read_packets",
                        "-of", "csv=p=0", "\(result.folder)/\(track.file)",
                    ])
                #expect(!times.isEmpty)
            }
        }
        func frames(_ result: RecordingResult, _ role: String) throws -> Manifest.Frames {
            try #require(result.manifest.tracks.first { $0.name == role }?.frames)
        }
        /// Returns the number of frames that were captured, including frames that a busy machine delivered
        /// too late.
        func seen(_ frames: Manifest.Frames) -> Int {
            frames.captured + frames.lost.filter { ["late", "driver"].contains($0.key) }.values.reduce(0, +)
        }
        // The camera is disconnected from 0.6 s of the first recording on, and throughout the second
        // recording.
        #expect(try (17...19).contains(seen(frames(first, "face"))))
        let away = try frames(second, "face")
        #expect(away.captured == 0 && away.slate + away.duplicated == 30)
        #expect(try seen(frames(second, "desk")) >= 29)
        // The arrangement belongs to the session, not to a recording.
        #expect(session.currentPlan.program?.arrangement.main == "face")
        #expect(second.manifest.changes?.isEmpty ?? true)
        #expect(status.phase == .standby || status.phase == .finishing)
        let told = await events.value.filter { $0.name == .started || $0.name == .deviceLost }
        // The second recording begins without the camera and says so itself.
        #expect(told.map(\.name) == [.started, .deviceLost, .started, .deviceLost])
        #expect(told.last?.at == .zero)
    }

    @Test("devices on standby can be seen and heard, and are stopped at the end")
    func idle() async throws { try await SingleThreadExecutor.run(Self.idle) }

    private static func idle() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "standby-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: scratch) } }
        let session = try Self.session(in: scratch)
        try await session.standBy()
        let status = session.status
        #expect(status.cameras.map(\.role) == ["desk", "face"])
        #expect(status.cameras.allSatisfy { (25...35).contains($0.rate) })
        #expect(status.microphones.first.map { $0.level.peak > 0.05 } == true)
        await session.close()
        #expect(session.folderPath == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["test.yaml"])
    }

    @Test("Work that waits for devices is refused if they can't be started, and after they have been stopped")
    func refusedWork() throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "standby-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: scratch) } }
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let file = scratch.appending(path: "test.yaml")
        try Self.profile.write(to: file, atomically: true, encoding: .utf8)
        let source = try #require(try SessionSetup(SessionConfiguration(profile: file.path)).cameras["desk"])
        let clock = MonotonicClock()
        let input = try CameraInput(
            role: "desk", source: source, latency: .zero, decodes: false, taps: TapRegistry(),
            keepsLog: false,
            clock: clock, codecs: Codecs())
        let standby = Standby(
            clock: clock, publish: { _ in }, report: { _ in }, freeSpace: nil,
            makeStage: { _ in preconditionFailure("the devices are never ready") })
        let controls = SessionControls()
        controls.stop(at: clock.now)
        let answers = ConditionLock<[Bool]>([])
        standby.lend { inputs in answers.withLock { $0.append(inputs == nil) } }
        let outcome = ConditionLock<Result<Void, RecordingError>?>(nil)
        standby.run(
            SessionInputs(cameras: [input], microphones: []), limit: .seconds(10), controls: controls
        ) { result in outcome.withLock { $0 = result } }
        #expect(throws: RecordingError.self) { try outcome.withLock { $0 }?.get() }
        standby.lend { inputs in answers.withLock { $0.append(inputs == nil) } }
        #expect(answers.withLock { $0 } == [true, true])
    }
}
