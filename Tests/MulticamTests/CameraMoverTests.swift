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
        private let refuses: Bool
        let device: CaptureDevice
        var format: VideoFormat { base.format }
        var color: ColorDescription { base.color }
        var deliveryDelay: Nanoseconds { base.deliveryDelay }
        var pan: Int64 { values.withLock { $0["pan_absolute"] ?? 0 } }

        // `refuses`: whether the camera rejects all values.
        init(refuses: Bool = false) throws {
            self.refuses = refuses
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
                    guard !refuses, values[request.name] != nil else {
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

    /// A session on standby whose camera sees a face at the right edge.
    private struct Scene {
        let session: MulticamSession
        private let box: FramePart
        private let pace = Cancellation()

        init(_ camera: TurningCamera) async throws {
            let profile = try CameraMoverTests.profile(
                """
                cameras: { desk: { framing: { follow: people, move: camera } } }
                program: { main: desk, size: 640x360, rate: 25 }
                """)
            var configuration = SessionConfiguration(profile: profile)
            configuration.ownCameras = ["desk": camera]
            let setup = try SessionSetup(configuration)
            #expect(setup.plan.notes.allSatisfy { !$0.contains("pan and tilt") })
            session = MulticamSession(setup)
            box = try #require(FramePart(x: 0.8, y: 0.4, width: 0.05, height: 0.1))
            setup.makeFramer(for: session)
            try await session.standBy()
        }

        /// Reports the face once.
        func show() {
            session.receive(
                FrameAnalysis(faces: [DetectedFace(id: 1, box: box, confidence: 0.9, activity: 0.3)]),
                of: "desk", sequence: nil, at: session.now,
                from: CameraDetections.Source(connection: 1, id: 1))
            _ = pace.wait(until: MonotonicClock().now + .milliseconds(50))
        }
    }

    @Test(
        "the camera turns to a face, the program isn't cropped, and a user who turns the camera takes over",
        .timeLimit(.minutes(240)), arguments: [7_200, 36_000])
    func turns(limit: Int64) async throws {
        let camera = try TurningCamera()
        let scene = try await Scene(camera)
        // The face stays at the right edge, so the camera turns as far as it can. At first, it is still turning.
        while camera.pan < limit { scene.show() }
        #expect(scene.session.currentPlan.program?.motions.isEmpty == true)
        _ = try await scene.session.setControls(["pan_absolute": "-7200"], of: "desk")
        for _ in 0..<40 { scene.show() }
        #expect(camera.pan == -7200)
        #expect(!scene.session.isFramed("desk"))
        await scene.session.close()
    }

    @Test("a camera that refuses to turn is cropped", .timeLimit(.minutes(240)))
    func refusal() async throws {
        let camera = try TurningCamera(refuses: true)
        let scene = try await Scene(camera)
        while scene.session.currentPlan.program?.motions.isEmpty == true { scene.show() }
        #expect(camera.pan == 0)
        await scene.session.close()
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
