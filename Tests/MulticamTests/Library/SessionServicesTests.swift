import Foundation
import MulticamControl
import MulticamKit
import MulticamMedia
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Testing

@Suite("sessions that other processes control", .serialized)
struct SessionServicesTests {
    private static func configuration(
        _ device: String = "virtual:bars?size=64x48", in folder: String
    ) -> SessionConfiguration {
        var configuration = SessionConfiguration(
            profile: Profile(
                name: "services", cameras: [CameraRole(role: "desk", device: device)],
                tracks: TrackSettings(cameras: .copy, microphones: .none)))
        configuration.recording = RecordingOptions(parentFolder: folder)
        return configuration
    }

    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "multicam-services-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
        try await body(folder)
    }

    /// Sends a command to the control socket of this process, like `multicam ctl`.
    private static func ctl(_ words: String...) async throws -> ControlReply {
        try await MediaThread.perform(named: "ctl") { () throws(ControlError) in
            try ControlClient().send(CommandRequest(arguments: words), process: getpid())
        }
    }

    @Test(
        "on standby, the program and other processes start recordings in a row, and `quit` closes the session"
    )
    func standby() async throws {
        try await Self.withFolder { folder in
            let services = try await SessionServices()
            let session = try await services.makeSession(Self.configuration(in: folder), on: .unlimited)
            let names = Task {
                await session.events.reduce(into: [SessionEvent.Name]()) { $0.append($1.name) }
            }
            try await session.standBy()
            #expect(try await Self.ctl("status").status?.state == .standby)
            #expect(try await Self.ctl("mark", "too early").ok == false)

            let first = try await session.startRecording()
            #expect(try await Self.ctl("start").ok == false)
            #expect(try await Self.ctl("mark", "from outside").ok)
            #expect(try await Self.ctl("stop").ok)
            let result = try await first.result
            #expect(result.manifest.markers.map(\.text) == ["from outside"])

            let started = try await Self.ctl("start")
            #expect(started.ok, "\(started.text)")
            var requested = services.requestedRecordings.makeAsyncIterator()
            let next = await requested.next()
            let second = try #require(next)
            #expect(second.isRunning)
            second.stop()
            #expect(try await second.result.folder != result.folder)

            let third = try await session.record(duration: .milliseconds(300))
            #expect(third.manifest.outcome == .finished)
            #expect(try await Self.ctl("quit").ok)
            #expect(
                await names.value.filter { [.standby, .started].contains($0) }
                    == [.standby, .started, .standby, .started, .standby, .started, .standby])
            await #expect(throws: RecordingError.ended) { _ = try await session.record() }
            await #expect(throws: SetupError.self) {
                _ = try await services.makeSession(Self.configuration(in: folder), on: .unlimited)
            }
            await services.stop()
        }
    }

    @Test(
        "sessions without standby are served one after the other; `stop` ends only the recording")
    func sessions() async throws {
        try await Self.withFolder { folder in
            let services = try await SessionServices()
            for round in 0..<2 {
                let session = try await services.makeSession(Self.configuration(in: folder), on: .unlimited)
                await #expect(throws: SetupError.self) {
                    _ = try await services.makeSession(Self.configuration(in: folder), on: .unlimited)
                }
                let recording = try await session.startRecording()
                #expect(try await Self.ctl("status").status?.folder == recording.folder)
                if round == 0 { #expect(try await Self.ctl("stop").ok) } else { recording.stop() }
                #expect(try await recording.result.manifest.outcome == .finished)
            }
            await services.stop()
            let again = try await SessionServices()
            await again.stop()
        }
    }

    @Test("a network camera without services or without its helper program is an error that names the remedy")
    func networkCameras() async throws {
        try await Self.withFolder { folder in
            let configuration = Self.configuration("http://127.0.0.1:9/stream", in: folder)
            let alone = await #expect(throws: SetupError.self) {
                _ = try await MulticamSession(configuration, on: .unlimited)
            }
            #expect(alone?.description.contains("`SessionServices.makeSession`") == true, "\(alone as Any)")
            let services = try await SessionServices(helperFolder: folder)
            let helpless = await #expect(throws: SetupError.self) {
                _ = try await services.makeSession(configuration, on: .unlimited)
            }
            let text = helpless?.description ?? ""
            #expect(text.contains("\(folder)/multicam-sources") && text.contains("`helperFolder`"), "\(text)")
            await services.stop()
        }
    }

    @Test("services throw while they have a session, and after they were stopped")
    func misuse() async throws {
        try await Self.withFolder { folder in
            let services = try await SessionServices()
            let configuration = Self.configuration(in: folder)
            let sessions = await withTaskGroup(of: MulticamSession?.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        do {
                            return try await services.makeSession(configuration, on: .unlimited)
                        } catch {
                            #expect(error is SetupError, "\(error)")
                            return nil
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(sessions.count { $0 != nil } == 1)
            await services.stop()
            await services.stop()
            await #expect(throws: SetupError.self) {
                _ = try await services.makeSession(configuration, on: .unlimited)
            }
        }
    }
}
