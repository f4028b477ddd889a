import Foundation
import MulticamKit
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamStills
import Testing

@Suite("a session opened from a configuration", .serialized)
struct SessionEntryTests {
    /// A computed gray camera, 64 × 48, 25 frames per second.
    private final class GrayCamera: CameraSource {
        let device = CaptureDevice.ownCamera(named: "gray")
        let format = VideoFormat(
            pixel: .nv12, size: FrameSize(width: 64, height: 48), rate: FrameRate(25, per: 1))
        let color = ColorDescription.bt601Limited
        let deliveryDelay = Nanoseconds.milliseconds(60)
        private let thread = PacedThread(named: "gray")

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
        ) throws(DeviceError) {
            let (format, color) = (format, color)
            let (planes, count) = FramePlane.packed(format.pixel, format.size)
            try thread.start(on: clock, every: format.rate.interval) { number, time in
                receive(
                    .frame(
                        CapturedFrame(
                            pixel: format.pixel, size: format.size, color: color, capturedAt: time,
                            sequence: number, memory: SharedBytes([UInt8](repeating: 128, count: count)),
                            planes: planes, isOwned: true)))
            }
        }

        func stop() { thread.stop() }
    }

    private final class Scratch {
        let path = NSTemporaryDirectory() + "multicam-entry-\(UUID().uuidString)"

        deinit {
            do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
        }
    }

    private static func profile(_ device: String = "virtual:clap?size=320x240") -> Profile {
        Profile(
            name: "entry", cameras: [CameraRole(role: "desk", device: device)],
            microphones: [MicrophoneRole(role: "host", device: "virtual:clap")],
            tracks: TrackSettings(cameras: .encode, microphones: .wav))
    }

    @Test("devices are added and stills are taken while it records, and the result lists every track")
    func verbs() async throws {
        let scratch = Scratch()
        let session = try await MulticamSession(
            SessionConfiguration(profile: Self.profile()), on: .unlimited)
        let recording = try await session.startRecording(in: scratch.path)
        try await Self.retrying { () throws(SetupError) in
            try await session.addCamera(GrayCamera(), as: "guest")
        }
        try await Self.retrying { () throws(SetupError) in
            try await session.addMicrophone("virtual:tone", as: "second")
        }
        let stills = try await session.takeStills(["desk", "guest"])
        #expect(Set(stills.keys) == ["desk", "guest"])
        for files in stills.values {
            #expect(FileManager.default.fileExists(atPath: try files.get().still))
        }
        await #expect(throws: StillError.unknownRole("nobody", known: ["desk", "guest"])) {
            _ = try await session.takeStills(["nobody"])
        }
        await #expect(throws: SetupError.self) { try await session.addCamera("virtual:clap", as: "guest") }
        // A camera that was refused doesn't affect the camera with this role.
        async let first = session.takeStills(["guest"])
        async let second = session.takeStills(["guest"])
        for stills in try await [first, second] {
            #expect(FileManager.default.fileExists(atPath: try #require(stills["guest"]).get().still))
        }
        try await Self.retrying { () throws(SetupError) in
            try await session.replaceCamera(of: "desk", with: "virtual:bars?size=320x240")
        }
        recording.stop()
        let result = try await recording.result
        try result.checkLedgers()
        #expect(result.folder.hasPrefix(scratch.path))
        #expect(result.tracks.map(\.name).sorted() == ["desk", "guest", "host", "second"])
        for track in result.tracks {
            #expect(track.files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
            #expect((track.frameCount ?? 0) > 0 || (track.sampleCount ?? 0) > 0)
        }
        #expect(result.manifest.stills?.count == 4)
        #expect(result.losses == result.tracks.reduce(into: [:]) { $0.merge($1.losses, uniquingKeysWith: +) })
    }

    /// Adds or replaces a device. On a busy machine, its first frames can be too late for the recording.
    private static func retrying(_ change: () async throws(SetupError) -> Void) async throws {
        for attempt in 0..<20 {
            do {
                return try await change()
            } catch {
                guard "\(error)".contains("ms late"), attempt < 19 else { throw error }
            }
        }
    }

    @Test("a clip that is too long is refused, and no still is taken before the devices run or after the end")
    func refusedStills() async throws {
        let scratch = Scratch()
        var configuration = SessionConfiguration(profile: Self.profile())
        configuration.clipLength = .seconds(11)
        let tooLong = configuration
        let error = await #expect(throws: SetupError.self) {
            _ = try await MulticamSession(tooLong, on: .unlimited)
        }
        #expect(error?.description.contains("0.1 s to 10 s") == true)
        configuration.clipLength = nil
        let session = try await MulticamSession(configuration, on: .unlimited)
        await #expect(throws: StillError.notRunning) { _ = try await session.takeStills() }
        _ = try await session.record(in: scratch.path, duration: .milliseconds(200))
        await #expect(throws: StillError.notRunning) { _ = try await session.takeStills() }
    }

    @Test("a folder and a duration replace those of the configuration for one recording")
    func options() async throws {
        let scratch = Scratch()
        var configuration = SessionConfiguration(profile: Self.profile())
        configuration.recording = RecordingOptions(parentFolder: scratch.path + "/usual", name: "a")
        let session = try await MulticamSession(configuration, on: .unlimited)
        try await session.standBy()
        let first = try await session.record(in: scratch.path + "/other", duration: .milliseconds(400))
        let second = try await session.record(duration: .milliseconds(400))
        await session.close()
        #expect(first.folder == scratch.path + "/other/a" && second.folder == scratch.path + "/usual/a")
        #expect(first.duration >= .milliseconds(400) && first.duration < .seconds(3))
    }

    @Test("a recording without a positive duration is refused, and the session can still record")
    func duration() async throws {
        let scratch = Scratch()
        let session = try await MulticamSession(SessionConfiguration(profile: Self.profile()), on: .unlimited)
        for duration in [Duration.zero, .seconds(-1)] {
            await #expect(throws: RecordingError.invalidDuration(Nanoseconds(duration))) {
                _ = try await session.record(in: scratch.path, duration: duration)
            }
        }
        let recording = try await session.startRecording(in: scratch.path, duration: .milliseconds(500))
        let start = recording.startTime
        let result = try await recording.result
        #expect(start == result.startTime)
        #expect(Duration(result.duration) >= .milliseconds(400))
    }

    @Test("settings that don't suit the profile are refused before a device is opened")
    func settings() async throws {
        // The device doesn't exist, so its error would follow.
        var profile = Self.profile("/dev/video-absent")
        profile.tracks.cameras = .copy
        let configuration = SessionConfiguration(profile: profile)
        var (wrongRole, noDuration, noProgram) = (configuration, configuration, configuration)
        wrongRole.synchronizedOutputs = [SynchronizedOutput(roles: ["nobody"]) { _ in }]
        noDuration.recording.duration = .zero
        noProgram.recording.backup = Backup(parentFolder: "/tmp", content: .program)
        var unknownSource = configuration
        unknownSource.ownCameras = ["nobody": GrayCamera()]
        for wrong in [wrongRole, noDuration, noProgram, unknownSource] {
            let error = await #expect(throws: SetupError.self) {
                _ = try await MulticamSession(wrong, on: .unlimited)
            }
            guard case .usage? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("raw cameras of the application are encoded by default, and two with the same name are two cameras")
    func rawCameras() async throws {
        let scratch = Scratch()
        let profile = Profile(
            name: "raw", cameras: [CameraRole(role: "a"), CameraRole(role: "b")],
            tracks: TrackSettings(microphones: .none))
        let session = try await MulticamSession(
            SessionConfiguration(profile: profile, ownCameras: ["a": GrayCamera(), "b": GrayCamera()]),
            on: .unlimited)
        #expect(session.currentPlan.cameraTracks.map(\.mode) == [.encode, .encode])
        let recording = try await session.startRecording(in: scratch.path)
        let other = GrayCamera()
        try await Self.retrying { () throws(SetupError) in
            try await session.replaceCamera(of: "a", with: other)
        }
        let error = await #expect(throws: SetupError.self) {
            try await session.replaceCamera(of: "b", with: other)
        }
        guard case .refused(let refusal)? = error, refusal.reason == .inUse else {
            Issue.record("\(String(describing: error))")
            return
        }
        recording.stop()
        let result = try await recording.result
        try result.checkLedgers()
        #expect(result.tracks.allSatisfy { ($0.frameCount ?? 0) > 0 })
        #expect(!result.verdict.text.contains("USB"), "\(result.verdict.text)")
    }

    @Test(
        "errors have the same text as a description and for Foundation, and a reason that a program can read")
    func errorTexts() async throws {
        let session = try await MulticamSession(SessionConfiguration(profile: Self.profile()), on: .unlimited)
        for (change, reason) in [
            (SessionChange.swap(with: "desk"), SessionChangeError.Reason.unsupported),
            (.removed(role: "desk"), .notRunning),
        ] {
            let error = await #expect(throws: SessionChangeError.self) { try await session.commit([change]) }
            #expect(error?.reason == reason)
            #expect((error as (any Error)?)?.localizedDescription == error?.description)
        }
        await session.close()
        #expect(throws: SessionChangeError.self) { try session.setSwitching(.voice) }
        let ended = await #expect(throws: RecordingError.self) { _ = try await session.record() }
        let refusal: any MulticamError = try #require(ended)
        #expect((refusal as any Error).localizedDescription == refusal.description)
    }

    @Test("a plan that exceeds the computer's capacity is refused with its cost")
    func overBudget() async throws {
        var profile = Self.profile()
        profile.budget.policy = .refuse
        let tiny = MachineModel(processors: 0.001, costs: .defaults, freeMemory: nil, disk: nil)
        let configuration = SessionConfiguration(profile: profile)
        let error = await #expect(throws: SetupError.self) {
            _ = try await MulticamSession(configuration, on: .model(tiny))
        }
        guard case .overBudget(let reduction)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reduction.fits)
        #expect(try await MulticamSession.cost(of: configuration, on: .model(tiny))?.fits == false)
        #expect(try await MulticamSession.cost(of: configuration, on: .unlimited) == nil)
        #expect(try await MulticamSession.plan(for: configuration).cameras.map(\.role) == ["desk"])
    }

    @Test("errors give no advice for the command line, because the users of another program have none")
    func advice() async throws {
        let absent = SessionConfiguration(profile: Self.profile("/dev/video-absent"))
        var unknownRole = SessionConfiguration(profile: Self.profile())
        unknownRole.cameras = [RoleSelection(role: "nobody", selector: "any")]
        var remote = SessionConfiguration(profile: Self.profile("rtsp://192.0.2.1/stream"))
        remote.usesVirtualDevices = false
        for configuration in [absent, unknownRole, remote] {
            let error = await #expect(throws: SetupError.self) {
                _ = try await MulticamSession(configuration, on: .unlimited)
            }
            let text = error?.description ?? ""
            #expect(!text.isEmpty && !text.contains("--") && !text.contains("`multicam"), "\(text)")
        }
    }

    @Test("no device can be added to a session that was created for a plan")
    func withoutConfiguration() async throws {
        let camera = GrayCamera()
        var plan = SessionPlan(named: "hand-built")
        plan.addWithoutConnections(
            PlannedCamera(role: "a", selector: "", identity: camera.device.identity, format: camera.format))
        let session = MulticamSession(plan: plan, cameras: ["a": camera], microphones: [:])
        await #expect(throws: SetupError.self) { try await session.addCamera("virtual:clap", as: "b") }
    }

    @Test(
        "a paced thread counts from zero, refuses a second start, and can be started again after it was stopped"
    )
    func paced() throws {
        let thread = PacedThread()
        let clock = MonotonicClock()
        let seen = ConditionLock<[Int64]>([])
        let begin = clock.now
        for _ in 0..<2 {
            seen.withLock { $0 = [] }
            try thread.start(on: clock, every: .milliseconds(2)) { number, time in
                #expect(time >= begin)
                seen.broadcast { $0.append(number) }
            }
            #expect(throws: DeviceError.self) {
                try thread.start(on: clock, every: .milliseconds(2)) { _, _ in }
            }
            seen.wait { $0.count >= 3 ? () : nil }
            thread.stop()
            let count = seen.withLock(\.count)
            #expect(seen.withLock { $0 } == Array(0..<Int64(count)))
        }
    }
}
