import Foundation
import MulticamInputs
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Testing

@Suite("custom devices and profiles built in code")
struct OwnSourceTests {
    /// Generates frames or samples on the session's clock.
    private final class Pace: Sendable {
        private let cancellation = Cancellation()
        private let threads = BoundedQueue<MediaThread>(capacity: 1)

        func start(
            on clock: any SessionClock, every interval: Nanoseconds,
            _ make: @escaping @Sendable (_ number: Int64, _ time: ClockTime) -> Void
        ) throws(DeviceError) {
            let (begin, cancellation) = (clock.now, cancellation)
            let thread = try clock.startDeviceThread("own") {
                var number: Int64 = 0
                while clock.sleep(until: begin + interval * (number + 1), unless: cancellation) {
                    make(number, begin + interval * number)
                    number += 1
                }
            }
            _ = threads.tryEnqueue(thread)
        }

        func stop() {
            cancellation.cancel()
            threads.finish()
            threads.dequeue()?.join()
        }
    }

    private final class GreyCamera: CameraSource {
        let device = CaptureDevice(
            mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "grey"), name: "grey",
            node: "rtp:5004", selector: "")
        let format = VideoFormat(
            pixel: .nv12, size: FrameSize(width: 64, height: 48), rate: FrameRate(25, per: 1))
        let color = ColorDescription.bt601Limited
        let deliveryDelay = Nanoseconds.milliseconds(1)
        private let pace = Pace()

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
        ) throws(DeviceError) {
            let (format, color) = (format, color)
            try pace.start(on: clock, every: format.rate.interval) { number, time in
                let (planes, count) = FramePlane.packed(format.pixel, format.size)
                receive(
                    .frame(
                        CapturedFrame(
                            pixel: format.pixel, size: format.size, color: color, capturedAt: time,
                            sequence: number, memory: SharedBytes([UInt8](repeating: 128, count: count)),
                            planes: planes, isOwned: true)))
            }
        }

        func stop() { pace.stop() }
    }

    private final class HumMicrophone: MicrophoneSource {
        let device = CaptureDevice(
            mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "hum"), name: "hum",
            node: "rtp:5006", selector: "")
        let format = AudioFormat(rate: 32_000, channels: 2)
        let deliveryDelay = Nanoseconds.milliseconds(20)
        private let pace = Pace()

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
        ) throws(DeviceError) {
            let format = format
            try pace.start(on: clock, every: .milliseconds(10)) { number, time in
                receive(
                    .audio(
                        CapturedAudio(
                            format: format, capturedAt: time, firstSample: number * 320,
                            samples: [Float](repeating: 0.25, count: 640))))
            }
        }

        func stop() { pace.stop() }
    }

    private static let profile = Profile(
        name: "own", cameras: [CameraRole(role: "a")], microphones: [MicrophoneRole(role: "m")],
        tracks: TrackSettings(cameras: .encode, microphones: .wav))

    @Test(
        "custom sources in the roles of a profile built in code are planned, costed, and recorded like devices"
    )
    func recorded() async throws {
        let folder = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"
        defer { Self.remove(folder) }
        var request = SessionConfiguration(profile: Self.profile)
        request.machine = MachineModel(
            processors: 4, costs: .defaults, freeMemory: 8 << 30,
            disk: MachineModel.Disk(freeBytes: 1 << 40, bytesPerSecond: 1e8))
        request.ownCameras = ["a": GreyCamera()]
        request.ownMicrophones = ["m": HumMicrophone()]
        let setup = try SessionSetup(request)
        #expect(setup.plan.cameras.map(\.format.description) == ["nv12 64x48 at 25"])
        #expect(setup.plan.cameras.map(\.selector) == ["own:grey"])
        #expect(setup.plan.microphones.map(\.format) == [AudioFormat(rate: 32_000, channels: 2)])
        #expect(try #require(setup.reduction).cost.total > 0)
        let session = MulticamSession(
            setup, RecordingOptions(parentFolder: folder, name: "s", duration: .seconds(2), version: "0.0.0"),
            clock: SimulatedClock())
        let result = try await session.recordChecked()
        #expect(result.verdict.exceededLimits.isEmpty)
        #expect(result.manifest.devices.map(\.name) == ["grey", "hum"])
        let frames = try Self.text(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v:0", "-count_packets", "-show_entries",
                "stream=nb_read_packets,width,r_frame_rate", "-of",
                "csv=p=0", result.folder + "/cameras/a.mov",
            ])
        #expect(frames == "64,25/1,50")
        let samples = try Self.text(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=sample_rate,channels,duration_ts", "-of", "csv=p=0",
                result.folder + "/audio/m.wav",
            ])
        #expect(samples == "48000,2,96000")
    }

    @Test("a custom source is refused if the profile lacks its role or the source lacks the format")
    func refused() throws {
        let role = #expect(throws: SetupError.self) {
            _ = try SessionSetup(
                SessionConfiguration(profile: Self.profile, ownCameras: ["desk": GreyCamera()]))
        }
        #expect(
            role?.description
                == "the application provides a camera for the role “desk”, which is not in the profile “own”. Choose a."
        )
        var profile = Self.profile
        profile.cameras[0].size = FrameSize(width: 1280, height: 720)
        let size = #expect(throws: SetupError.self) {
            _ = try SessionSetup(
                SessionConfiguration(
                    profile: profile, ownCameras: ["a": GreyCamera()], ownMicrophones: ["m": HumMicrophone()])
            )
        }
        #expect(size?.description.contains("nv12 64x48 at 25") == true)
        let missing = #expect(throws: SetupError.self) {
            var profile = Self.profile
            profile.microphones[0].device = "own:hum"
            _ = try SessionSetup(SessionConfiguration(profile: profile, ownCameras: ["a": GreyCamera()]))
        }
        #expect(missing?.description.contains("does not provide a device") == true)
    }

    @Test(
        "a profile built in code is validated, because its roles become file names",
        arguments: ["../a", "program", "m", ""])
    func roles(_ role: String) {
        var profile = Self.profile
        profile.cameras[0].role = role
        #expect(throws: SetupError.self) { _ = try SessionSetup.plan(SessionConfiguration(profile: profile)) }
    }

    @Test("a request made from discovered devices writes nothing by default")
    func devices() async throws {
        let camera = CaptureDevice(
            mediaType: .video, deviceType: .virtual, identity: DeviceIdentity(name: "clap"), name: "clap",
            node: "", selector: "virtual:clap?size=64x48")
        let microphone = CaptureDevice(
            mediaType: .audio, deviceType: .virtual, identity: DeviceIdentity(name: "tone"), name: "tone",
            node: "", selector: "virtual:tone")
        let setup = try SessionSetup(SessionConfiguration(devices: ["desk": camera, "host": microphone]))
        #expect(!setup.plan.writesAnything)
        #expect(setup.plan.cameras.map(\.role) == ["desk"])
        #expect(setup.plan.microphones.map(\.role) == ["host"])
        let session = MulticamSession(
            setup, RecordingOptions(parentFolder: "", duration: .seconds(1), version: "0.0.0"),
            clock: SimulatedClock(),
            frameTaps: [FrameTap(role: "desk", format: .asCaptured) { _ in }])
        try await session.run()
    }

    private static func text(_ program: String, _ arguments: [String]) throws -> String {
        String(decoding: try Reader.run(program, arguments), as: UTF8.self).trimmingCharacters(
            in: .whitespacesAndNewlines)
    }

    private static func remove(_ folder: String) {
        do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
    }
}
