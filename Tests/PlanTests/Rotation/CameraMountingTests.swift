import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

@Suite("Rotation of a camera's frames")
struct CameraMountingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        let stance: CameraMounting
        /// The clockwise rotation of the computer.
        let turn: Rotation
        let surface: PreviewSurface
        var isMirrored = false
        let capture: Rotation
        let preview: Rotation

        var testDescription: String { what }
    }

    /// The device is a phone. The native orientation of its sensor corresponds to the phone lying on its left
    /// side, so portrait needs 90°.
    private static let back = CameraMounting(bearing: .back, mounting: .quarter)
    private static let front = CameraMounting(bearing: .front, mounting: .quarter)
    private static let own = CameraMounting(bearing: .separate)

    private static let cases = [
        // The surface is locked to portrait.
        Case(
            what: "back camera in portrait", stance: back, turn: .none, surface: .locked(.none),
            capture: .quarter, preview: .quarter),
        Case(
            what: "back camera in the sensor's native orientation", stance: back, turn: .threeQuarters,
            surface: .locked(.none), capture: .none, preview: .quarter),
        Case(
            what: "back camera in the other landscape", stance: back, turn: .quarter,
            surface: .locked(.none), capture: .half, preview: .quarter),
        Case(
            what: "back camera upside down", stance: back, turn: .half, surface: .locked(.none),
            capture: .threeQuarters, preview: .quarter),
        // The conditions are the same, but the surface rotates with gravity.
        Case(
            what: "back camera in portrait, the surface turns", stance: back, turn: .none, surface: .upright,
            capture: .quarter, preview: .quarter),
        Case(
            what: "back camera in landscape, the surface turns", stance: back, turn: .threeQuarters,
            surface: .upright, capture: .none, preview: .none),
        Case(
            what: "a window locked to landscape", stance: back, turn: .threeQuarters,
            surface: .locked(.quarter), capture: .none, preview: .none),
        // The front camera rotates in the opposite direction. If it is mirrored, it stays upright on a locked
        // surface, like every mirror.
        Case(
            what: "front camera in portrait", stance: front, turn: .none, surface: .locked(.none),
            isMirrored: true, capture: .quarter, preview: .quarter),
        Case(
            what: "front camera in landscape", stance: front, turn: .quarter, surface: .locked(.none),
            isMirrored: true, capture: .none, preview: .quarter),
        Case(
            what: "front camera in landscape, not mirrored", stance: front, turn: .quarter,
            surface: .locked(.none), capture: .none, preview: .threeQuarters),
        Case(
            what: "front camera in landscape, the surface turns", stance: front, turn: .quarter,
            surface: .upright, isMirrored: true, capture: .none, preview: .none),
        // A camera on a display doesn't move when the tablet is turned, so its preview has to be rotated.
        Case(
            what: "external camera, upright", stance: own, turn: .none, surface: .locked(.none),
            isMirrored: true, capture: .none, preview: .none),
        Case(
            what: "external camera, the tablet upside down", stance: own, turn: .half,
            surface: .locked(.none), isMirrored: true, capture: .none, preview: .half),
        Case(
            what: "external camera, the tablet on its side", stance: own, turn: .quarter,
            surface: .locked(.none), capture: .none, preview: .threeQuarters),
        Case(
            what: "external camera, the tablet on its side, mirrored", stance: own, turn: .quarter,
            surface: .locked(.none), isMirrored: true, capture: .none, preview: .quarter),
        Case(
            what: "external camera, the surface turns with gravity", stance: own, turn: .quarter,
            surface: .upright, capture: .none, preview: .none),
        Case(
            what: "external camera on its side, by the profile",
            stance: CameraMounting(bearing: .separate, mounting: .threeQuarters), turn: .half,
            surface: .upright,
            capture: .threeQuarters, preview: .threeQuarters),
        Case(
            what: "a monitor that hangs upright on its side", stance: own, turn: .half,
            surface: .mounted(.quarter), capture: .none, preview: .threeQuarters),
    ]

    @Test("the angles match the reference cases and cases derived from them", arguments: cases)
    func table(example: Case) {
        let angles = example.stance.angles(
            forComputerRotation: example.turn, on: example.surface, isMirrored: example.isMirrored)
        #expect(angles == RotationAngles(capture: example.capture, preview: example.preview))
    }

    @Test("the preview is upright in the world for every rotation")
    func upright() {
        for bearing in [CameraMounting.Bearing.separate, .back, .front] {
            for mounting in Rotation.allCases {
                for turn in Rotation.allCases {
                    for place in Rotation.allCases {
                        for surface in [PreviewSurface.upright, .locked(place), .mounted(place)] {
                            for isMirrored in [false, true] {
                                expectUpright(
                                    CameraMounting(bearing: bearing, mounting: mounting), turn, surface,
                                    isMirrored)
                            }
                        }
                    }
                }
            }
        }
    }

    private func expectUpright(
        _ stance: CameraMounting, _ turn: Rotation, _ surface: PreviewSurface, _ isMirrored: Bool
    ) {
        let angles = stance.angles(forComputerRotation: turn, on: surface, isMirrored: isMirrored)
        // The direction of the scene's top in the stored frame, clockwise from the frame's top.
        let stored = Rotation.none - angles.capture
        let turned = stored + angles.preview
        let shown = isMirrored ? Rotation.none - turned : turned
        #expect(shown + surface.rotation(forComputerRotation: turn) == .none)
    }

    @Test("only built-in cameras turn with the computer, and an angle set by the user has priority")
    func devices() {
        #expect(CameraMounting(Self.device(.external, .front)).bearing == .separate)
        #expect(CameraMounting(Self.device(.builtIn, .back)).bearing == .back)
        #expect(CameraMounting(Self.device(.builtIn, .front)).bearing == .front)
        #expect(CameraMounting(Self.device(.builtIn, .unspecified)).bearing == .front)
        #expect(CameraMounting(Self.device(.virtual, .unspecified)).bearing == .separate)
        #expect(CameraMounting(Self.device(.virtual, .back)).bearing == .back)
        #expect(
            CameraMounting(Self.device(.builtIn, .back), fixed: .half)
                == CameraMounting(bearing: .separate, mounting: .half))
    }

    @Test(
        "previews are mirrored for front and external cameras, not for back cameras, capture sticks, files, screens, and network cameras",
        arguments: [
            (CaptureDevice.DeviceType.external, CaptureDevice.Position.unspecified, true),
            (.external, .front, true), (.external, .back, false), (.builtIn, .front, true),
            (.builtIn, .back, false), (.builtIn, .unspecified, true), (.file, .unspecified, false),
            (.screen, .unspecified, false), (.network, .unspecified, false), (.virtual, .unspecified, true),
        ])
    func mirroring(
        type: CaptureDevice.DeviceType, position: CaptureDevice.Position, isMirrored: Bool
    ) {
        let camera = Self.device(type, position)
        #expect(PreviewMirroring.auto.decision(for: camera).isMirrored == isMirrored)
        #expect(PreviewMirroring.on.decision(for: camera).isMirrored)
        #expect(!PreviewMirroring.off.decision(for: camera).isMirrored)
        let stick = Self.device(type, position, isCaptureStick: true)
        #expect(!PreviewMirroring.auto.decision(for: stick).isMirrored)
        #expect(PreviewMirroring.on.decision(for: stick).isMirrored)
    }

    static func device(
        _ type: CaptureDevice.DeviceType, _ position: CaptureDevice.Position, mounting: Rotation = .none,
        isCaptureStick: Bool = false
    ) -> CaptureDevice {
        var device = CaptureDevice(
            mediaType: .video, deviceType: type, position: position, mounting: mounting,
            identity: DeviceIdentity(name: "Cam"), name: "Cam", node: "/dev/video0",
            selector: "/dev/video0", formats: SessionPlanTests.webcam)
        device.isCaptureStick = isCaptureStick
        return device
    }
}
