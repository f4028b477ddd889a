import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSetup
import MulticamVirtualDevices
import Testing

@Suite("Automatic framing by a camera that turns")
struct CameraMoverTests {
    /// A virtual camera with controls for pan and tilt.
    private final class TurningCamera: CameraSource {
        private let base: VirtualCamera
        private let values = ConditionLock<[String: Int64]>(["pan_absolute": 0, "tilt_absolute": 0])
        let device: CaptureDevice
        var format: VideoFormat { base.format }
        var color: ColorDescription { base.color }
        var deliveryDelay: Nanoseconds { base.deliveryDelay }
        var pan: Int64 { values.withLock { $0["pan_absolute"] ?? 0 } }

        init() throws {
            base = try VirtualCamera(
                role: "desk",
                settings: VirtualCameraSettings(selector: "virtual:bars?size=640x360&format=nv12"))
            let controls = ["pan_absolute", "tilt_absolute"].map { Self.control($0, 0) }
            device = CaptureDevice(
                mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "turning"),
                name: "turning", node: "rtp:5004", selector: "", controls: controls)
        }

        private static func control(_ name: String, _ value: Int64) -> DeviceControl {
            DeviceControl(
                name: name, value: value, minimum: -36_000, maximum: 36_000, step: 3600, defaultValue: 0)
        }

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
        ) throws(DeviceError) { try base.start(on: clock, delivering: receive) }

        func stop() { base.stop() }

        func readControls() throws(DeviceError) -> [DeviceControl] {
            values.withLock { $0 }.sorted { $0.key < $1.key }.map { Self.control($0.key, $0.value) }
        }

        func setControls(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
            values.withLock { values in
                requests.map { request in
                    guard values[request.name] != nil else {
                        return ControlOutcome(request: request, value: nil)
                    }
                    values[request.name] = request.value
                    return ControlOutcome(request: request, value: request.value)
                }
            }
        }
    }

    private static func profile(_ text: String) throws -> Profile {
        try Profile(yaml: Array(text.utf8), file: "test.yaml")
    }

    @Test(
        "the camera turns to a face, the program isn't cropped, and a user who turns the camera takes over",
        .timeLimit(.minutes(240)))
    func turns() async throws {
        let profile = try Self.profile(
            """
            cameras: { desk: { framing: { follow: people, move: camera } } }
            program: { main: desk, size: 640x360, rate: 25 }
            """)
        let camera = try TurningCamera()
        var configuration = SessionConfiguration(profile: profile)
        configuration.ownCameras = ["desk": camera]
        let setup = try SessionSetup(configuration)
        #expect(setup.plan.notes.allSatisfy { !$0.contains("pan and tilt") })
        let session = MulticamSession(setup)
        setup.makeFramer(for: session)
        try await session.standBy()
        let box = try #require(FramePart(x: 0.8, y: 0.4, width: 0.1, height: 0.2))
        let pace = Cancellation()
        func show() {
            session.receive(
                FrameAnalysis(faces: [DetectedFace(id: 1, box: box, confidence: 0.9, activity: 0.3)]),
                of: "desk",
                sequence: nil, at: session.now, from: CameraDetections.Source(connection: 1, id: 1))
            _ = pace.wait(until: MonotonicClock().now + .milliseconds(50))
        }
        // The face stays at the right edge, so the camera turns as far as it can.
        while camera.pan < 36_000 { show() }
        #expect(session.currentPlan.program?.motions.isEmpty == true)
        _ = try await session.setControls(["pan_absolute": "-7200"], of: "desk")
        for _ in 0..<40 { show() }
        #expect(camera.pan == -7200)
        let plan = session.currentPlan
        let planned = try #require(plan.cameras.first)
        #expect(plan.program?.arrangement.framingMode(of: planned) == .off)
        await session.close()
    }

    @Test("a camera without these controls is cropped, and the plan says so")
    func fixed() throws {
        let profile = try Self.profile(
            """
            cameras: { desk: { device: "virtual:bars", size: 640x360, framing: { follow: people, move: camera } } }
            program: { main: desk, size: 640x360, rate: 25 }
            """)
        let plan = try SessionSetup(SessionConfiguration(profile: profile)).plan
        #expect(
            plan.notes.contains {
                $0
                    == "desk: the camera does not have pan and tilt controls, so automatic framing crops its frames in the program."
            })
        #expect(plan.cameras.first?.automaticFraming.mover == .crop)
    }
}
