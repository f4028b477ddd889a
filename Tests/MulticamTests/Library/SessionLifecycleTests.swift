import Foundation
import MulticamInputs
import MulticamLedgerCheck
import MulticamMedia
import MulticamPlan
import MulticamSessionFolder
import MulticamSetup
import MulticamStills
import Testing

@testable import MulticamSession

@Suite("Lifecycle of a session", .serialized)
struct SessionLifecycleTests {
    private static let profile = """
        cameras: { desk: { device: "virtual:bars", size: 64x48, rate: 30 } }
        microphones: { host: { device: "virtual:tone" } }
        tracks: { cameras: copy, microphones: wav }
        """

    /// The sessions of one test and their folder, which is removed at the end.
    private struct Place {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lifecycle-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try profile.write(to: folder.appending(path: "test.yaml"), atomically: true, encoding: .utf8)
        }

        func makeSetup() throws -> SessionSetup {
            try SessionSetup(SessionConfiguration(profile: folder.appending(path: "test.yaml").path))
        }

        func makeSession(_ setup: SessionSetup? = nil, taps: [FrameTap] = []) throws -> MulticamSession {
            try MulticamSession(
                setup ?? makeSetup(),
                RecordingOptions(parentFolder: folder.path, name: "session", version: "0.0.0"),
                frameTaps: taps)
        }

        func remove() { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    }

    /// The calls that begin something.
    private enum Call: CaseIterable {
        case standBy, record, run, startRecording

        /// Returns the error of the call; `nil` if the call succeeds.
        func error(_ session: MulticamSession) async -> RecordingError? {
            do throws(RecordingError) {
                switch self {
                case .standBy: try await session.standBy()
                case .record: _ = try await session.record()
                case .run: try await session.run()
                case .startRecording: _ = try await session.startRecording()
                }
                return nil
            } catch {
                return error
            }
        }
    }

    /// Returns the errors of all calls that begin something.
    private static func errors(_ session: MulticamSession) async -> [RecordingError?] {
        var errors: [RecordingError?] = []
        for call in Call.allCases { errors.append(await call.error(session)) }
        return errors
    }

    private static func callEverythingElse(_ session: MulticamSession) {
        session.mark("a marker")
        session.split()
        #expect(throws: SessionChangeError.self) { try session.apply([.swap(with: "nobody")]) }
        #expect(throws: SessionChangeError.self) {
            try session.attach(FrameTap(role: "nobody", format: .asCaptured) { _ in })
        }
        _ = (session.status, session.hardwareCost, session.folderPath, session.currentPlan)
    }

    /// Calls everything that adds, replaces, or uses a device. The calls succeed or throw, as the state of the session
    /// requires.
    ///
    /// - Returns: The number of calls that succeeded.
    private static func callDevices(
        _ session: MulticamSession, _ number: Int = 0, in folder: String
    ) async -> Int {
        let calls: [() async throws -> Void] = [
            { try await session.addCamera("virtual:bars?size=64x48", as: "camera-\(number)") },
            { try await session.addMicrophone("virtual:tone", as: "microphone-\(number)") },
            { try await session.replaceCamera(of: "desk", with: "virtual:ball?size=64x48") },
            { try await session.replaceCamera(of: "nobody", with: "virtual:ball?size=64x48") },
            { try await session.addCamera("/dev/video-absent", as: "absent-\(number)") },
            { _ = try await session.deviceControls(of: "desk") },
            { _ = try await session.setControls(["gain": "1"], of: "desk") },
            { _ = try await session.takeStills(["desk"], in: folder) },
        ]
        var count = 0
        for call in calls {
            do {
                try await call()
                count += 1
            } catch {
                #expect(
                    error is SetupError || error is SessionChangeError || error is StillError, "\(error)")
            }
        }
        return count
    }

    @Test("calls that use devices succeed while it records, throw after the end, and never trap in between")
    func devices() async throws {
        let place = try Place()
        defer { place.remove() }
        let session = try place.makeSession()
        _ = await Self.callDevices(session, in: place.folder.path)
        try await session.standBy()
        _ = await Self.callDevices(session, 1, in: place.folder.path)
        let recording = try await session.startRecording()
        #expect(await Self.callDevices(session, 2, in: place.folder.path) >= 4)
        async let first = Self.callDevices(session, 3, in: place.folder.path)
        async let second = Self.callDevices(session, 4, in: place.folder.path)
        recording.stop()
        _ = await (first, second)
        #expect(try await recording.result.manifest.outcome == .finished)
        await session.close()
        #expect(await Self.callDevices(session, 5, in: place.folder.path) == 0)
    }

    @Test(
        "while a session records, calls that would begin something else throw `busy`, and afterwards `ended`")
    func busy() async throws { try await SingleThreadExecutor.run(Self.busy) }

    private static func busy() async throws {
        let place = try Place()
        defer { place.remove() }
        let session = try place.makeSession()
        Self.callEverythingElse(session)
        let recording = try await session.startRecording()
        #expect(await Self.errors(session) == [.busy, .busy, .busy, .busy])
        Self.callEverythingElse(session)
        #expect(recording.isRunning && recording.folder != nil)
        recording.stop()
        let result = try await recording.result
        #expect(result.manifest.outcome == .finished && result.isStored)
        #expect(await Self.errors(session) == [.ended, .ended, .ended, .ended])
        #expect(throws: RecordingError.ended) { try recording.mark("too late") }
        #expect(throws: RecordingError.ended) { try recording.split() }
        Self.callEverythingElse(session)
        await session.close()
        await session.close(stopsRecording: true)
    }

    @Test("on standby, a session records once at a time; after it was closed, calls throw `ended`")
    func standby() async throws { try await SingleThreadExecutor.run(Self.standby) }

    private static func standby() async throws {
        let place = try Place()
        defer { place.remove() }
        let session = try place.makeSession()
        try await session.standBy()
        #expect(await Call.standBy.error(session) == .busy)
        Self.callEverythingElse(session)
        let recording = try await session.startRecording()
        #expect(await Self.errors(session) == [.busy, .busy, .busy, .busy])
        await session.close(stopsRecording: true)
        #expect(try await recording.result.manifest.outcome == .finished)
        #expect(await Self.errors(session) == [.ended, .ended, .ended, .ended])
        await session.close()
    }

    @Test("stopping a recording a second time, or stopping standby, doesn't end the next recording")
    func stops() async throws { try await SingleThreadExecutor.run(Self.stops) }

    private static func stops() async throws {
        let place = try Place()
        defer { place.remove() }
        let session = try place.makeSession()
        try await session.standBy()
        let first = try await session.startRecording()
        first.stop()
        _ = try await first.result
        first.stop()
        session.stop()
        session.stopUrgently()
        let second = try await session.startRecording()
        first.stop()
        try await Task.sleep(for: .milliseconds(500))
        #expect(second.isRunning)
        second.stop()
        let frames = try #require(try await second.result.manifest.tracks.first { $0.name == "desk" }?.frames)
        #expect(frames.written >= 14)
        await session.close()
    }

    @Test("canceling the task that records stops the recording, closes its files, and returns its result")
    func cancelled() async throws { try await SingleThreadExecutor.run(Self.cancelled) }

    private static func cancelled() async throws {
        let place = try Place()
        defer { place.remove() }
        let session = try place.makeSession()
        let task = Task { try await session.record() }
        for await event in session.events where event.name == .started { break }
        task.cancel()
        let result = try await task.value
        #expect(result.manifest.outcome == .finished && result.isStored)
    }

    @Test("canceling the start of a recording or of standby ends it with `stopped`, and no folder is left")
    func cancelledStart() async throws { try await SingleThreadExecutor.run(Self.cancelledStart) }

    private static func cancelledStart() async throws {
        let place = try Place()
        defer { place.remove() }
        let (recording, standby) = (try place.makeSession(), try place.makeSession())
        let tasks = [
            Task { await Call.startRecording.error(recording) },
            Task { await Call.standBy.error(standby) },
        ]
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value == .stopped) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == ["test.yaml"])
    }

    @Test("a source that another session uses is an error, and the other session goes on")
    func shared() async throws { try await SingleThreadExecutor.run(Self.shared) }

    private static func shared() async throws {
        let place = try Place()
        defer { place.remove() }
        let setup = try place.makeSetup()
        let (session, other) = (try place.makeSession(setup), try place.makeSession(setup))
        let recording = try await session.startRecording()
        let error = await Call.record.error(other)
        guard case .device(let error) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(error.description.contains("another session"))
        try await Task.sleep(for: .seconds(1))
        recording.stop()
        let manifest = try await recording.result.manifest
        #expect(manifest.outcome == .finished && manifest.gaps.isEmpty)
    }

    @Test("every listener receives all events, even one that begins after the recording")
    func listeners() async throws { try await SingleThreadExecutor.run(Self.listeners) }

    private static func listeners() async throws {
        let place = try Place()
        defer { place.remove() }
        let session = try place.makeSession()
        let early = Task { await session.events.reduce(into: [SessionEvent.Name]()) { $0.append($1.name) } }
        let recording = try await session.startRecording()
        try recording.mark("one")
        recording.stop()
        _ = try await recording.result
        let late = await session.events.reduce(into: [SessionEvent.Name]()) { $0.append($1.name) }
        #expect(await early.value == late)
        #expect(late.first == .started && late.contains(.mark))
    }

    @Test("a session that is dropped on standby stops its devices")
    func dropped() async throws { try await SingleThreadExecutor.run(Self.dropped) }

    private static func dropped() async throws {
        let place = try Place()
        defer { place.remove() }
        let setup = try place.makeSetup()
        do {
            let session = try place.makeSession(setup)
            try await session.standBy()
        }
        // The sources can be started again as soon as they have stopped.
        var again: RecordingError?
        for _ in 0..<600 {
            let session = try place.makeSession(setup)
            again = await Call.standBy.error(session)
            await session.close()
            if again == nil { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(again == nil)
    }

    @Test("a tap whose handler never returns doesn't hold up the end of a recording, and an event names it")
    func stuckTap() async throws { try await SingleThreadExecutor.run(Self.stuckTap) }

    private static func stuckTap() async throws {
        let place = try Place()
        defer { place.remove() }
        let release = Cancellation()
        let tap = FrameTap(role: "desk", format: .asCaptured) { _ in
            while !release.isCancelled { usleep(10_000) }
        }
        let session = try place.makeSession(taps: [tap])
        let recording = try await session.startRecording()
        try await Task.sleep(for: .milliseconds(300))
        recording.stop()
        #expect(try await recording.result.manifest.outcome == .finished)
        let texts = await session.events.reduce(into: [String]()) { $0.append($1.message ?? "") }
        #expect(texts.contains { $0.contains("a tap on `desk`") && $0.contains("10 s") })
        release.cancel()
    }

    @Test("taps for unknown roles, of ended sessions, and of other sessions are errors at once")
    func taps() async throws { try await SingleThreadExecutor.run(Self.taps) }

    private static func taps() async throws {
        let place = try Place()
        defer { place.remove() }
        for call in Call.allCases {
            let unknown = FrameTap(role: "nobody", format: .asCaptured) { _ in }
            guard case .tap(let error)? = await call.error(try place.makeSession(taps: [unknown])) else {
                Issue.record("\(call) began with a tap for an unknown role")
                continue
            }
            #expect(error.description.contains("nobody"))
        }
        let tap = FrameTap(role: "desk", format: .asCaptured) { frame in
            #expect(frame.pixel != .mjpeg || frame.plane(0) == nil)
        }
        let (session, other) = (try place.makeSession(taps: [tap]), try place.makeSession())
        #expect(throws: SessionChangeError.self) { try other.attach(tap) }
        await session.close()
        #expect(throws: SessionChangeError.self) {
            try session.attach(FrameTap(role: "desk", format: .asCaptured) { _ in })
        }
        guard case .tap? = await Call.record.error(try place.makeSession(taps: [tap])) else {
            Issue.record("a tap was attached to two sessions")
            return
        }
    }

    @Test("concurrent calls in every order never trap, and at most one of them records at a time")
    func concurrent() async throws {
        let place = try Place()
        defer { place.remove() }
        for round in 0..<6 {
            let session = try place.makeSession()
            await withTaskGroup(of: RecordingError?.self) { group in
                for index in Call.allCases.indices {
                    let call = Call.allCases[(index + round) % Call.allCases.count]
                    group.addTask { await call.error(session) }
                }
                group.addTask {
                    for _ in 0..<(round * 10) {
                        Self.callEverythingElse(session)
                        session.stop()
                        await Task.yield()
                    }
                    await session.close(stopsRecording: true)
                    return nil
                }
                for number in 0..<2 {
                    group.addTask {
                        _ = await Self.callDevices(session, number, in: place.folder.path)
                        return nil
                    }
                }
                // The calls that began and were stopped end with `stopped` or without an error.
                for await error in group { #expect([nil, .busy, .ended, .stopped].contains(error)) }
            }
            #expect(await Self.errors(session) == [.ended, .ended, .ended, .ended])
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
        where name.hasPrefix("session") {
            let manifest = try LedgerCheck.manifest(of: place.folder.appending(path: name).path)
            #expect(manifest.outcome == .finished)
        }
    }
}
