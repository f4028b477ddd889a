import Foundation
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamVirtualDevices
import Testing

@Suite("plans built in code")
struct HandBuiltPlanTests {
    private static func camera(_ role: String) throws -> any CameraSource {
        try VirtualSources.camera(
            selector: "virtual:clap?size=320x180", role: role,
            wanted: VideoFormat(
                pixel: .mjpeg, size: FrameSize(width: 320, height: 180), rate: FrameRate(30, per: 1)))
    }

    /// A camera with a rotated, copied track, and a microphone with one recorded channel.
    private static func plan(_ camera: any CameraSource, _ microphone: any MicrophoneSource) throws
        -> SessionPlan
    {
        var plan = SessionPlan(profile: "mine")
        plan.addWithoutConnections(
            PlannedCamera(
                role: "desk", selector: "mine", identity: camera.device.identity, format: camera.format))
        plan.addWithoutConnections(
            PlannedMicrophone(
                role: "host", selector: "mine", identity: microphone.device.identity,
                format: microphone.format))
        plan.addWithoutConnections(
            PlannedCameraTrack(
                role: "desk", mode: .copy, file: "cameras/desk.mov", rate: camera.format.rate,
                settings: VideoEncodingSettings(size: camera.format.size, rate: camera.format.rate),
                rotation: .none))
        plan.addWithoutConnections(PlannedMicrophoneTrack(role: "host", file: "audio/host.wav"))
        try plan.connect(PlannedConnection(input: "desk", output: "cameras/desk", rotation: .quarter))
        try plan.connect(PlannedConnection(input: "host", output: "audio/host", channels: [1]))
        return plan
    }

    @Test("the files match the plan's connections, which the session reports until they end")
    func recorded() async throws {
        let folder = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"
        let camera = try Self.camera("desk")
        let microphone = try VirtualSources.microphone(selector: "virtual:tone?channels=2", role: "host")
        let plan = try Self.plan(camera, microphone)
        let session = MulticamSession(
            SessionSetup(plan: plan, cameras: ["desk": camera], microphones: ["host": microphone]),
            RecordingOptions(parentFolder: folder, name: "s", duration: .seconds(2), version: "0.0.0"),
            clock: SimulatedClock())
        #expect(session.connections == plan.connections)
        let result = try await session.recordChecked()
        defer {
            do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
        }
        let video = try Self.probe(
            result.folder + "/cameras/desk.mov", "v:0", "stream_side_data=rotation:stream=nb_read_packets")
        #expect(video == "60,-90")
        #expect(try Self.probe(result.folder + "/audio/host.wav", "a:0", "stream=channels") == "1")
    }

    private static func probe(_ file: String, _ stream: String, _ entries: String) throws -> String {
        let text = try Reader.run(
            "ffprobe",
            [
                "-v", "error", "-count_packets", "-select_streams", stream, "-show_entries", entries, "-of",
                "csv=p=0", file,
            ])
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("a plan that cannot run is refused with all reasons, and nothing is created")
    func refused() async throws {
        let folder = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"
        let camera = try Self.camera("desk")
        let microphone = try VirtualSources.microphone(selector: "virtual:tone?channels=2", role: "host")
        var plan = try Self.plan(camera, microphone)
        try plan.disconnect(PlannedConnection(input: "desk", output: "cameras/desk"))
        let session = MulticamSession(
            SessionSetup(plan: plan, cameras: ["desk": camera], microphones: [:]),
            RecordingOptions(parentFolder: folder, duration: .seconds(1), version: "0.0.0"),
            clock: SimulatedClock())
        await #expect(
            throws: RecordingError.plan([.unconnected(output: "cameras/desk"), .missingSource(role: "host")])
        ) { _ = try await session.recordChecked() }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
