import Foundation
import MulticamInputs
import MulticamKit
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamStills
import Testing

/// Every public call of a session, a recording, and the services in every state, in sequence and concurrently.
@Suite("Every public call in every state", .serialized)
struct MisuseMatrixTests {
    /// The states of a session.
    enum State: CaseIterable {
        case new, preparing, standby, recording, finishing, ended, closed
    }

    /// A public call with the states in which it may succeed. In all other states, it must throw.
    struct Call: Sendable {
        let name: String
        /// States in which the call can't succeed.
        let refusedIn: Set<State>
        /// Whether an error is one of the documented errors of the call.
        let isDocumented: @Sendable (any Error) -> Bool
        let body: @Sendable (MulticamSession, String) async throws -> Void

        init(
            _ name: String, refusedIn: Set<State> = [],
            throwing isDocumented: @escaping @Sendable (any Error) -> Bool = { _ in false },
            _ body: @escaping @Sendable (MulticamSession, String) async throws -> Void
        ) {
            (self.name, self.refusedIn, self.isDocumented, self.body) = (name, refusedIn, isDocumented, body)
        }
    }

    fileprivate static let profile = Profile(
        name: "matrix", cameras: [CameraRole(role: "desk", device: "virtual:bars?size=64x48")],
        microphones: [MicrophoneRole(role: "host", device: "virtual:tone")],
        program: ProgramSettings(
            size: FrameSize(width: 64, height: 64), layout: .single, main: "desk",
            audio: AudioSettings(mix: ["host"])),
        tracks: TrackSettings(cameras: .copy, microphones: .wav))

    private static func isStartError(_ error: any Error) -> Bool {
        guard let error = error as? RecordingError else { return false }
        return [.busy, .ended, .stopped].contains(error)
    }
    private static func isChangeError(_ error: any Error) -> Bool { error is SessionChangeError }
    fileprivate static func isSetupError(_ error: any Error) -> Bool { error is SetupError }

    private static let over: Set<State> = [.ended, .closed]
    private static let busy: Set<State> = [.preparing, .recording, .finishing, .ended, .closed]

    /// Calls that begin something; each of them runs to its end.
    fileprivate static let starts = [
        Call("standBy", refusedIn: busy.union([.standby]), throwing: isStartError) { session, _ in
            try await session.standBy()
        },
        Call("record", refusedIn: busy, throwing: isStartError) { session, folder in
            _ = try await session.record(in: folder, duration: .milliseconds(100))
        },
        Call("record for no time", refusedIn: Set(State.allCases), throwing: { $0 is RecordingError }) {
            _ = try await $0.record(in: $1, duration: .zero)
        },
        Call("startRecording", refusedIn: busy, throwing: isStartError) { session, folder in
            let recording = try await session.startRecording(in: folder)
            recording.stop()
            _ = try await recording.result
        },
        Call("run", refusedIn: busy, throwing: isStartError) { session, _ in
            let run = Task { try await session.run() }
            run.cancel()
            try await run.value
        },
    ]

    fileprivate static let others = [
        Call("commit", refusedIn: over, throwing: isChangeError) { session, _ in
            try await session.commit([.gain(role: "host", decibels: -3)])
        },
        Call("commit for an unknown role", refusedIn: Set(State.allCases), throwing: isChangeError) {
            session, _ in try await session.commit([.swap(with: "nobody")])
        },
        Call("commit at a past time", refusedIn: over, throwing: isChangeError) { session, _ in
            try await session.commit([.gain(role: "host", decibels: 0)], at: ClockTime(nanoseconds: .min))
        },
        Call("setSwitching", refusedIn: over, throwing: isChangeError) { session, _ in
            try session.setSwitching(.voice)
        },
        Call("addCamera", refusedIn: over, throwing: isSetupError) { session, _ in
            try await session.addCamera("virtual:bars?size=64x48", as: "added")
        },
        Call("addCamera with an invalid role", refusedIn: Set(State.allCases), throwing: isSetupError) {
            session, _ in try await session.addCamera("virtual:bars", as: "../x")
        },
        Call("addMicrophone", refusedIn: over, throwing: isSetupError) { session, _ in
            try await session.addMicrophone("virtual:tone", as: "second")
        },
        Call("replaceCamera", refusedIn: over, throwing: isSetupError) { session, _ in
            try await session.replaceCamera(of: "desk", with: "virtual:ball?size=64x48")
        },
        Call("replaceCamera of an unknown role", refusedIn: Set(State.allCases), throwing: isSetupError) {
            session, _ in try await session.replaceCamera(of: "nobody", with: "virtual:ball")
        },
        Call("deviceControls", refusedIn: over, throwing: isChangeError) { session, _ in
            _ = try await session.deviceControls(of: "desk")
        },
        Call("setControls", refusedIn: over, throwing: isChangeError) { session, _ in
            _ = try await session.setControls(["gain": "loud"], of: "desk")
        },
        Call("takeStills", refusedIn: over, throwing: { $0 is StillError }) { session, folder in
            _ = try await session.takeStills(["desk"], in: folder)
        },
        Call("attach frames", refusedIn: over, throwing: isChangeError) { session, _ in
            let tap = FrameTap(role: "desk", format: .converted(.nv12), capacity: 0) { _ in }
            try session.attach(tap)
            tap.request = FrameRequest(.asCaptured)
            session.detach(tap)
            session.detach(tap)
        },
        Call("attach audio", refusedIn: over, throwing: isChangeError) { session, _ in
            let tap = AudioTap(role: "host", capacity: -1) { _ in }
            try session.attach(tap)
            session.detach(tap)
        },
        Call("attach metadata", refusedIn: over, throwing: isChangeError) { session, _ in
            let tap = MetadataTap(role: "desk", capacity: 0) { _ in }
            try session.attach(tap)
            session.detach(tap)
        },
        Call("attach packets", refusedIn: over, throwing: isChangeError) { session, _ in
            let tap = PacketTap(capacity: 0) { _ in }
            try session.attach(tap)
            session.detach(tap)
        },
        Call("attach for an unknown role", refusedIn: Set(State.allCases), throwing: isChangeError) {
            session, _ in try session.attach(AudioTap(role: "desk") { _ in })
        },
        Call("detach a tap that isn't attached") { session, _ in
            session.detach(FrameTap(role: "desk", format: .asCaptured) { _ in })
            session.detach(AudioTap(role: "host") { _ in })
            session.detach(MetadataTap(role: "desk") { _ in })
            session.detach(PacketTap { _ in })
        },
        Call("properties") { session, _ in
            _ = (session.status, session.connections, session.currentPlan, session.reduction)
            _ = (session.folderPath, session.switching, session.events, session.currentPlan.validate())
        },
    ]

    private static let ends = [
        Call("stop") { session, _ in session.stop() },
        Call("stop at a past time") { session, _ in session.stop(at: ClockTime(nanoseconds: .min)) },
        Call("close") { session, _ in
            // `close` waits for the recording.
            async let closing: Void = session.close()
            session.stop()
            await closing
        },
        Call("close and stop the recording") { session, _ in await session.close(stopsRecording: true) },
    ]

    /// A folder for the recordings of one test, which is removed at the end.
    fileprivate final class Scratch {
        let path = NSTemporaryDirectory() + "multicam-matrix-\(UUID().uuidString)"

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit {
            do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
        }
    }

    /// A session in a state. `recording` is its current or last recording.
    private struct Subject {
        let session: MulticamSession
        var recording: Recording?
        var preparation: Task<Recording, any Error>?

        /// Ends whatever is running.
        func end() async {
            await session.close(stopsRecording: true)
            do { _ = try await preparation?.value } catch { #expect(isStartError(error), "\(error)") }
            do { _ = try await recording?.result } catch { Issue.record(error) }
        }
    }

    private static func subject(in state: State, _ folder: String) async throws -> Subject {
        let session = try await MulticamSession(SessionConfiguration(profile: profile), on: .unlimited)
        var subject = Subject(session: session)
        switch state {
        case .new: break
        case .preparing:
            subject.preparation = Task { try await session.startRecording(in: folder) }
            while session.status.phase != .starting, session.status.phase != .recording { await Task.yield() }
        case .standby: try await session.standBy()
        case .recording: subject.recording = try await session.startRecording(in: folder)
        case .finishing:
            subject.recording = try await session.startRecording(in: folder)
            subject.recording?.stop()
        case .ended:
            subject.recording = try await session.startRecording(in: folder)
            subject.recording?.stop()
            _ = try await subject.recording?.result
        case .closed:
            try await session.standBy()
            await session.close()
        }
        return subject
    }

    /// Performs a call, and checks that it doesn't throw anything that isn't documented.
    ///
    /// - Returns: Whether the call succeeded.
    fileprivate static func perform(_ call: Call, _ session: MulticamSession, _ folder: String) async -> Bool
    {
        do {
            try await call.body(session, folder)
            return true
        } catch {
            #expect(call.isDocumented(error), "\(call.name) threw \(type(of: error)): \(error)")
            let message = (error as? any MulticamError)?.description ?? ""
            #expect(!message.isEmpty, "\(call.name) threw an error without a message")
            return false
        }
    }

    /// A state that passes by itself can have passed before the call, so that a call that it refuses may succeed only there.
    private static func mayHavePassed(_ state: State) -> Bool { state == .preparing || state == .finishing }

    @Test("a call succeeds or throws a documented error, as the state requires", arguments: State.allCases)
    func sequence(state: State) async throws {
        let scratch = try Scratch()
        // Calls that don't end the state share a session; each of the others has a separate one.
        let shared = try await Self.subject(in: state, scratch.path)
        for call in Self.others {
            let succeeded = await Self.perform(call, shared.session, scratch.path)
            #expect(
                !succeeded || !call.refusedIn.contains(state) || Self.mayHavePassed(state),
                "\(call.name) succeeded in the state \(state)")
        }
        await shared.end()
        for call in Self.starts + Self.ends {
            let subject = try await Self.subject(in: state, scratch.path)
            let succeeded = await Self.perform(call, subject.session, scratch.path)
            #expect(
                !succeeded || !call.refusedIn.contains(state) || Self.mayHavePassed(state),
                "\(call.name) succeeded in the state \(state)")
            await subject.end()
        }
    }

    @Test("all calls at once succeed or throw documented errors", arguments: State.allCases)
    func concurrently(state: State) async throws {
        let scratch = try Scratch()
        let subject = try await Self.subject(in: state, scratch.path)
        let (session, folder) = (subject.session, scratch.path)
        await withTaskGroup(of: Void.self) { group in
            for call in Self.others + Self.starts {
                for _ in 0..<2 { group.addTask { _ = await Self.perform(call, session, folder) } }
            }
            if let recording = subject.recording {
                for _ in 0..<2 { group.addTask { Self.use(recording) } }
            }
            for call in Self.ends { group.addTask { _ = await Self.perform(call, session, folder) } }
        }
        await subject.end()
        for call in Self.starts where !call.name.contains("no time") {
            #expect(await !Self.perform(call, session, folder), "\(call.name) succeeded after the end")
        }
    }

    /// Calls everything of a recording. The calls succeed, or throw `ended`.
    private static func use(_ recording: Recording) {
        _ = (recording.isRunning, recording.folder, recording.startTime)
        let calls: [(Recording) throws -> Void] = [
            { try $0.mark("a marker") },
            { try $0.mark("", at: ClockTime(nanoseconds: .min)) },
            { try $0.split() },
            { try $0.split(at: ClockTime(nanoseconds: .min)) },
        ]
        for call in calls {
            do { try call(recording) } catch { #expect(error as? RecordingError == .ended) }
        }
    }

    @Test("a handle's calls affect only its recording, at any time and from several threads")
    func recordings() async throws {
        let scratch = try Scratch()
        let subject = try await Self.subject(in: .standby, scratch.path)
        let first = try await subject.session.startRecording(in: scratch.path)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { Self.use(first) } }
            group.addTask { first.stop(at: ClockTime(nanoseconds: .min)) }
            group.addTask { first.stop() }
            for _ in 0..<2 {
                group.addTask {
                    do { _ = try await first.result } catch { Issue.record(error) }
                }
            }
        }
        #expect(!first.isRunning)
        let second = try await subject.session.startRecording(in: scratch.path)
        first.stop()
        Self.use(first)
        #expect(throws: RecordingError.ended) { try first.mark("too late") }
        #expect(second.isRunning)
        second.stop()
        #expect(try await second.result.isStored)
        await subject.end()
    }

    @Test("invalid values are errors of the session, or have a defined meaning")
    func values() async throws {
        for roles in [[], ["desk", "desk"], ["nobody"]] {
            var configuration = SessionConfiguration(profile: Self.profile)
            configuration.synchronizedOutputs = [SynchronizedOutput(roles: roles, capacity: 0) { _ in }]
            let invalid = configuration
            await #expect(throws: SetupError.self) {
                _ = try await MulticamSession(invalid, on: .unlimited)
            }
        }
        for duration in [Duration.zero, .seconds(-1), .seconds(Int64.min)] {
            let session = try await MulticamSession(
                SessionConfiguration(profile: Self.profile), on: .unlimited)
            await #expect(throws: RecordingError.self) { _ = try await session.record(duration: duration) }
        }
        let session = MulticamSession(plan: try await Self.plan(), cameras: [:], microphones: [:])
        await #expect(throws: RecordingError.self) { _ = try await session.record() }
        #expect(throws: DeviceError.self) {
            try PacedThread().start(on: MonotonicClock(), every: .zero) { _, _ in }
        }
        let thread = PacedThread()
        thread.stop()
        try thread.start(on: MonotonicClock(), every: .seconds(1)) { _, _ in }
        #expect(throws: DeviceError.self) {
            try thread.start(on: MonotonicClock(), every: .seconds(1)) { _, _ in }
        }
        thread.stop()
    }

    private static func plan() async throws -> SessionPlan {
        try await MulticamSession.plan(for: SessionConfiguration(profile: profile))
    }
}
