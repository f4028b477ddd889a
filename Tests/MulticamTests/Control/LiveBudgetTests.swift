import Foundation
import MulticamMedia
import MulticamPlan
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamVirtualDevices
import Testing

@Suite("The budget of a running recording")
struct LiveBudgetTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap?phase=0", size: 1280x720, rate: 30 }
        tracks: { cameras: copy }
        budget: { hardware: 1.0, policy: POLICY }
        """

    private static func add(to session: MulticamSession) throws {
        let format = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30))
        let source = try VirtualSources.camera(
            selector: "virtual:clap?phase=0", role: "guest", wanted: format)
        var track = try #require(session.currentPlan.cameraTracks.first)
        (track.name, track.role, track.file) = ("guest", "guest", "cameras/guest.mov")
        try session.add(
            source,
            as: PlannedCamera(
                role: "guest", selector: "virtual:clap?phase=0", identity: source.device.identity,
                format: format),
            track: track)
    }

    /// Records on a machine with disk bandwidth for the planned camera and most of a second one, and adds a
    /// second camera.
    private static func recording(
        _ policy: String, refusals: ConditionLock<[SessionChangeError]>
    ) async throws -> Recording {
        let host = ControllerHost { session, look in
            guard look == 2 else { return }
            do {
                try add(to: session)
            } catch let error as SessionChangeError {
                refusals.withLock { $0.append(error) }
            } catch {
                Issue.record("\(error)")
            }
        }
        var speed = 0.0
        return try await Recording(
            profile.replacingOccurrences(of: "POLICY", with: policy), seconds: 6, host: host,
            changing: { setup in speed = setup.plan.bytesPerSecond.values.reduce(0, +) * 1.8 },
            steer: host.attach,
            options: { options in
                options.machine = MachineModel(
                    processors: 64, costs: .defaults, freeMemory: 64_000_000_000,
                    disk: MachineModel.Disk(freeBytes: 1_000_000_000_000, bytesPerSecond: speed))
            })
    }

    @Test(
        "an added camera is reduced in size if the profile adapts, and the cost is reported")
    func reduced() async throws {
        let refusals = ConditionLock<[SessionChangeError]>([])
        let recording = try await Self.recording("adapt", refusals: refusals)
        #expect(refusals.withLock { $0 }.isEmpty)
        try recording.checkSchema()
        let change = try #require(recording.manifest.changes?.first)
        #expect(change.changes == ["add guest virtual:clap?phase=0"])
        #expect(change.reductions?.count == 1, "\(change)")
        #expect(change.reductions?.first?.hasPrefix("guest 1280x720@30 → ") == true, "\(change)")
        #expect(change.budget == 1 && (0.67...1).contains(change.cost ?? 0), "\(change)")
        let guest = try recording.track("guest")
        let part = try #require(guest.part_details?.last?.width)
        #expect(part < 1280)
        #expect(try recording.track("desk").frames?.lost.isEmpty == true)
        #expect(try recording.track("desk").parts == nil)
        let event = try #require(recording.events.first { $0.contains(#""event":"change""#) })
        #expect(event.contains("to stay within the budget: guest 1280x720@30"))
    }

    @Test("a camera that exceeds the budget is refused under the refuse policy, and never starts")
    func refused() async throws {
        let refusals = ConditionLock<[SessionChangeError]>([])
        let recording = try await Self.recording("refuse", refusals: refusals)
        let told = refusals.withLock { $0 }
        #expect(told.count == 1 && told.first?.reason == .overBudget)
        let text = told.first?.description ?? ""
        #expect(text.hasPrefix("`add guest virtual:clap?phase=0` would be over budget: disk 1.1"), "\(text)")
        #expect(text.hasSuffix(" would stay within the budget."), "\(text)")
        #expect(recording.manifest.changes == nil && recording.manifest.tracks.map(\.name) == ["desk"])
    }

    @Test(
        "on standby, an output that would require reducing a camera is refused, and active outputs are counted"
    )
    func standby() async throws { try await SingleThreadExecutor.run(Self.standby) }

    private static func standby() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "budget-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: scratch) } }
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let file = scratch.appending(path: "test.yaml")
        var options = RecordingOptions(
            parentFolder: scratch.path, name: "session", duration: .seconds(1), version: "0.0.0")
        options.machine = MachineModel(
            processors: 1, costs: .defaults, freeMemory: 64_000_000_000,
            disk: MachineModel.Disk(freeBytes: 1_000_000_000_000, bytesPerSecond: 1e12))
        func session(budget: Double) throws -> MulticamSession {
            let text = profile.replacingOccurrences(of: "copy", with: "encode").replacingOccurrences(
                of: "1.0, policy: POLICY", with: "\(budget), policy: adapt")
            try text.write(to: file, atomically: true, encoding: .utf8)
            return MulticamSession(try SessionSetup(SessionConfiguration(profile: file.path)), options)
        }
        // Some capacity is left, but less than the output requires.
        let needed = try #require(try session(budget: 10).hardwareCost?.total)
        let session = try session(budget: needed + 0.05)
        try await session.standBy()
        let camera = PlannedLiveOutput(
            name: "v4l2", kind: .v4l2, address: "/dev/video9", source: "desk")
        let before = try #require(session.hardwareCost?.total)
        let refusal = #expect(throws: SessionChangeError.self) { try session.addToPlan(camera) }
        #expect(
            refusal?.reason == .overBudget
                && refusal?.description.contains("quality isn't reduced on standby") == true,
            "\(before) \(refusal as Any)")
        #expect(session.hardwareCost?.total == before)
        session.addToPlanIgnoringBudget(camera)
        #expect((session.hardwareCost?.total ?? 0) > before)
        session.removeFromPlan("v4l2")
        #expect(session.hardwareCost?.total == before)
        await session.close()
    }
}
