import Foundation
import MulticamControl
import MulticamInputs
import MulticamMedia
import MulticamMonitoring
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Testing

@Suite("The status of a running session")
struct ControlStatusTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap?phase=0&drop=0.1", size: 320x180, rate: 30, preview: { mirrored: true } }
          face: { device: "virtual:bars?phase=5&mount=90&unplug=2.5", size: 320x180, rate: 30, rotation: 90, preview: { mirrored: false } }
        microphones:
          host: { device: "virtual:tone", gain: -6, processing: voice }
          guest: { device: "virtual:silence" }
        program: { size: 320x180, rate: 30, layout: pip, main: desk, inset: face, corner: top-left, scale: 0.25, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }
        limits: { lost_frames: none, silence: 2s }
        """

    /// Returns the status at the reading at 5 s.
    private static func status() async throws -> ControlStatus {
        let seen = ConditionLock<ControlStatus?>(nil)
        let host = ControllerHost(
            disk: DiskSpace(freeBytes: 6_000_000_000, recordedBytes: 0)
        ) { session, look in
            if look == 2 { session.mark("question 2") }
            guard look == 5 else { return }
            let status = ControlStatus(
                session.status, plan: session.currentPlan, folder: session.folderPath,
                cost: session.hardwareCost)
            seen.withLock { $0 = status }
        }
        _ = try await Recording(
            profile, seconds: 7, host: host, steer: host.attach,
            options: { options in
                options.machine = MachineModel(
                    processors: 2, costs: .defaults, freeMemory: 4_000_000_000,
                    disk: MachineModel.Disk(freeBytes: 6_000_000_000, bytesPerSecond: nil))
            })
        return try #require(seen.withLock { $0 })
    }

    @Test("the status counts closed files while a recording is finishing")
    func finishing() async throws {
        let recorded = ConditionLock<MulticamSession?>(nil)
        let recording = try await Recording(
            Self.profile, seconds: 1, steer: { session in recorded.withLock { $0 = session } })
        let session = try #require(recorded.withLock { $0 })
        // The last reported value doesn't change any more, because all files are closed.
        let status = ControlStatus(session.status, plan: session.currentPlan, folder: nil)
        let finishing = try #require(status.finishing)
        // The files are the program, two cameras, and two microphones.
        #expect(recording.manifest.files?.count == 5)
        #expect(status.state == .finishing && finishing.done == 5 && finishing.total == 5)
    }

    @Test(
        "the status of a camera contains its format, preview settings, frame counts, and cause of an outage"
    )
    func cameras() async throws {
        let status = try await Self.status()
        #expect(status.state == .recording && status.cameras.map(\.role) == ["desk", "face"])
        let (desk, face) = (status.cameras[0], status.cameras[1])
        #expect(!desk.name.isEmpty && desk.pixel == "mjpeg" && desk.width == 320 && desk.height == 180)
        #expect(desk.nominal_rate == 30 && desk.rotation == 0 && desk.mirrored)
        #expect(face.rotation == 90 && !face.mirrored)
        // A tenth of the frames is dropped, and each of them is replaced by the previous frame.
        #expect(desk.lost > 3 && desk.losses == ["bus": desk.lost] && desk.duplicated == desk.lost)
        #expect(desk.captured > 100 && desk.slate == 0)
        #expect(!desk.away && desk.reason == nil && desk.away_ns == nil && desk.away_cause == nil)
        #expect(face.away && face.away_cause == "disconnected" && face.reason?.isEmpty == false)
        let away = try #require(face.away_ns)
        #expect(abs(away - (status.time_ns + (status.delay_ns ?? 0) - 2_500_000_000)) < 300_000_000)
        #expect((70...78).contains(face.captured) && face.slate > 20)
        #expect(status.cameras.allSatisfy { $0.residual_us >= 0 && $0.residual_us < 1000 })
    }

    @Test("the status lists the pictures that the governor has paused")
    func paused() async throws {
        let recorded = ConditionLock<MulticamSession?>(nil)
        _ = try await Recording(
            Self.profile, seconds: 1, steer: { session in recorded.withLock { $0 = session } })
        let plan = try #require(recorded.withLock { $0 }).currentPlan
        var status = SessionStatus()
        #expect(ControlStatus(status, plan: plan, folder: nil).paused.isEmpty)
        status.measures = [
            GovernorMeasure(.previews, relieves: []), GovernorMeasure(.coarseDecoding, relieves: []),
        ]
        #expect(ControlStatus(status, plan: plan, folder: nil).paused == [.previews])
        status.measures.append(GovernorMeasure(.programPause, relieves: []))
        #expect(ControlStatus(status, plan: plan, folder: nil).paused == [.previews, .program])
    }

    @Test(
        "the status of a microphone contains its gain and filters in the mix, and the duration of its silence"
    )
    func microphones() async throws {
        let status = try await Self.status()
        let (host, guest) = (status.microphones[0], status.microphones[1])
        #expect(host.gain == -6 && !host.muted && host.channels == 1 && !host.name.isEmpty)
        #expect(host.processing == "voice" && guest.processing == "off")
        #expect(host.silent_ns == nil && host.clipped == 0 && host.clipped_last_minute == 0)
        #expect(guest.gain == 0 && guest.muted && guest.alarms == [.noSignal, .silence])
        #expect(try #require(guest.silent_ns) > status.time_ns - 1_000_000_000)
    }

    @Test(
        "the status contains the program's layout, its delay, markers, and the remaining disk space"
    )
    func program() async throws {
        let status = try await Self.status()
        let arrangement = try #require(status.arrangement)
        #expect(arrangement.layout == .pip && arrangement.main == "desk" && arrangement.inset == ["face"])
        #expect(
            arrangement.corner == .topLeft && arrangement.scale == 0.25 && arrangement.size == [320, 180])
        #expect(arrangement.layers.map(\.role) == ["desk", "face"])
        #expect(arrangement.layers.map(\.fit) == [.contain, .cover])
        // The face is turned by a quarter.
        #expect(
            arrangement.frames.mapValues { [$0.width, $0.height] } == [
                "desk": [320, 180], "face": [180, 320],
            ])
        #expect(arrangement.layers.map(\.width) == [320, 80] && arrangement.layers[1].rotation == 90)
        let program = try #require(status.program)
        #expect(program.on_air == ["desk", "face"] && program.captured > 100 && program.lost == 0)
        #expect(program.losses.isEmpty && program.processing == "off" && status.cameras[0].lost > 0)
        #expect(try (100_000_000...2_000_000_000).contains(#require(status.delay_ns)))
        #expect(status.markers.map(\.text) == ["question 2"] && status.marker_count == 1)
        #expect(status.disk?.free_bytes == 6_000_000_000 && status.disk?.seconds_left ?? 0 > 60)
        #expect(status.limits.lost_frames == nil && status.limits.silence_ns == 2_000_000_000)
        #expect(status.policy == "adapt")
    }

    @Test("the cost of a resource is divided among its users, and the parts add up to the total")
    func cost() async throws {
        let status = try await Self.status()
        let cost = try #require(status.cost)
        let processor = try #require(cost.terms.first { $0.resource == "cpu" })
        #expect(
            processor.owners.contains { $0.name == "program" } && processor.text.contains("processor time"))
        #expect(abs(processor.owners.reduce(0) { $0 + $1.used } - processor.used) < 0.001)
        #expect(cost.unknown.contains { $0.hasPrefix("disk:") })
        let line = JSONText.line(status)
        #expect(try JSONText.decoder().decode(ControlStatus.self, from: Data(line.utf8)) == status)
    }
}
