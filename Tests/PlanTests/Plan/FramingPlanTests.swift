import MulticamMedia
import Testing

@testable import MulticamPlan
@testable import MulticamProfiles

/// Tests how a plan uses a profile's `crop`, `zoom`, `pan`, `tilt`, `output`, and presets when the devices
/// are known.
@Suite("Crop, zoom, and output of a profile in a plan")
struct FramingPlanTests {
    private static let encode = "tracks: { cameras: encode }"
    private static let program = "program: { layout: single, main: a }\ntracks: { cameras: none }"

    /// A webcam with the lens controls of UVC cameras.
    private static func lens(_ controls: [DeviceControl] = all) -> PlannedDevice {
        var device = SessionPlanTests.camera()
        device.device = CaptureDevice(
            mediaType: .video, deviceType: .external, identity: device.device.identity, name: "Cam",
            node: "/dev/video0", selector: "/dev/video0", formats: SessionPlanTests.webcam,
            controls: controls)
        return device
    }

    private static let zoom = DeviceControl(
        name: "zoom_absolute", value: 100, minimum: 100, maximum: 500, defaultValue: 100)
    private static let pan = DeviceControl(
        name: "pan_absolute", value: 0, minimum: -36000, maximum: 36000, step: 3600, defaultValue: 0)
    private static let tilt = DeviceControl(
        name: "tilt_absolute", value: 0, minimum: -18000, maximum: 36000, step: 3600, defaultValue: 0)
    private static let all = [zoom, pan, tilt]

    private static func plan(
        _ camera: String, _ rest: String, _ device: PlannedDevice = SessionPlanTests.camera()
    ) throws(ProfileError) -> SessionPlan {
        try SessionPlan(
            profile: try SessionPlanTests.profile("cameras: { a: { \(camera) } }\n\(rest)"),
            devices: ["a": device])
    }

    @Test(
        "the camera's format is the smallest that covers the output, compressed to save bus bandwidth, and the track has the output's size",
        arguments: [
            // The columns are the profile fields of the camera, the camera format, and the track format.
            ("output: 640x360", "mjpeg 640x480 at 30", "640x360 at 30"),
            ("output: 640x480", "mjpeg 640x480 at 30", "640x480 at 30"),
            ("output: vga", "mjpeg 640x480 at 30", "640x480 at 30"),
            ("output: 642x360", "mjpeg 1280x720 at 30", "642x360 at 30"),
            ("output: hd1080", "mjpeg 1920x1080 at 30", "1920x1080 at 30"),
            ("output: 360x640, rotation: 90", "mjpeg 640x480 at 30", "640x360 at 30"),
            ("output: 480x480, crop: '1:1'", "mjpeg 640x480 at 30", "480x480 at 30"),
            ("output: 482x482, crop: '1:1'", "mjpeg 1280x720 at 30", "482x482 at 30"),
            ("output: { size: 640x360, rate: 15 }", "mjpeg 640x480 at 30", "640x360 at 15"),
            ("output: { rate: 10 }", "mjpeg 1280x720 at 30", "1280x720 at 10"),
            ("output: { size: 640x360, rate: 60 }", "mjpeg 640x480 at 60", "640x360 at 60"),
            ("size: 1920x1080, output: 640x360", "mjpeg 1920x1080 at 30", "640x360 at 30"),
            ("format: yuyv, output: 640x360", "yuyv 640x480 at 30", "640x360 at 30"),
            ("format: yuyv, output: 1280x720", "yuyv 1280x720 at 10", "1280x720 at 10"),
        ])
    func output(asked: String, format: String, track: String) throws {
        let plan = try Self.plan(asked, Self.encode)
        #expect(plan.cameras[0].format.description == format)
        let made = plan.cameraTracks[0]
        #expect("\(made.settings.size) at \(made.rate)" == track)
    }

    @Test("the plan explains the format chosen for an output")
    func reason() throws {
        #expect(
            try Self.plan("output: 640x360", Self.encode).cameras[0].reason
                == "mjpeg 640x480 at 30: the smallest supported size that covers 640x360, mjpeg preferred, "
                + "the default rate of 30 fps.")
    }

    @Test(
        "presets are named sizes, and a missing one is reported with the available ones",
        arguments: [
            ("size: vga", "mjpeg 640x480 at 30"), ("size: hd720", "mjpeg 1280x720 at 30"),
            ("size: hd1080", "mjpeg 1920x1080 at 30"),
        ])
    func presets(asked: String, format: String) throws {
        #expect(try Self.plan(asked, Self.encode).cameras[0].format.description == format)
    }

    @Test("a crop applies to the program and to the frame of an encoded track; a copied track is uncropped")
    func crop() throws {
        let encoded = try Self.plan("size: hd1080, crop: '1:1'", Self.encode)
        let square = PixelRectangle(x: 420, y: 0, width: 1080, height: 1080)
        #expect(encoded.cameraTracks[0].crop == square)
        #expect(encoded.cameraTracks[0].settings.size == square.size)
        let shown = try Self.plan("size: hd1080, crop: '1:1'", Self.program)
        #expect(shown.program?.layers.map(\.crop) == [square])
        let both = try Self.plan(
            "size: hd1080, crop: '1:1'", "program: { layout: single, main: a }\ntracks: { cameras: copy }")
        #expect(both.cameraTracks[0].crop == nil)
        #expect(both.cameraTracks[0].settings.size == SessionPlanTests.fullHD)
        #expect(
            both.notes == [
                "a: the camera is cropped only in the program. Its track contains the whole frame as captured."
            ]
        )
    }

    @Test("with an output of another shape, the crop comes first, then the output's shape is cut from it")
    func cropAndOutput() throws {
        let track = try Self.plan("size: hd1080, crop: '1:1', output: 640x360", Self.encode).cameraTracks[0]
        #expect(track.crop == PixelRectangle(x: 420, y: 236, width: 1080, height: 608))
        #expect(track.settings.size == FrameSize(width: 640, height: 360))
    }

    @Test(
        "a camera with lens controls zooms and pans itself, in its own units; its frames are not cropped",
        arguments: [
            ("zoom: 2", ["zoom_absolute": 200]), ("zoom: 5", ["zoom_absolute": 500]),
            ("zoom: 1.5, pan: 1", ["zoom_absolute": 150, "pan_absolute": 36000]),
            ("pan: -0.5, tilt: 0.5", ["pan_absolute": -18000, "tilt_absolute": 18000]),
            ("tilt: -1", ["tilt_absolute": -18000]), ("pan: 0.02", ["pan_absolute": 0]),
            // A camera that is mounted sideways uses its tilt control to pan.
            ("pan: 1, rotation: 90", ["tilt_absolute": 36000]),
            ("tilt: 1, rotation: 90", ["pan_absolute": -36000]),
            ("pan: 1, rotation: 180", ["pan_absolute": -36000]),
            ("pan: 1, rotation: 270", ["tilt_absolute": -18000]),
        ] as [(String, [String: Int64])])
    func byControls(asked: String, controls: [String: Int64]) throws {
        let plan = try Self.plan(asked, "tracks: { cameras: copy }", Self.lens())
        let requests = plan.cameras[0].controls.map { ($0.name, $0.value) }
        #expect(Dictionary(requests, uniquingKeysWith: { $1 }) == controls)
        #expect(plan.cameras[0].framing == .whole)
        #expect(plan.notes.contains { $0.contains("are performed by the camera") })
    }

    @Test(
        "a camera that lacks one of the controls is cropped, and the plan notes this",
        arguments: [
            ("zoom: 2", [], PixelRectangle(x: 480, y: 270, width: 960, height: 540)),
            ("zoom: 2, pan: 1", [zoom], PixelRectangle(x: 960, y: 270, width: 960, height: 540)),
            ("crop: '1:1', pan: -1", [zoom], PixelRectangle(x: 0, y: 0, width: 1080, height: 1080)),
            (
                "zoom: 2",
                [DeviceControl(name: "zoom_absolute", value: 0, minimum: 0, maximum: 10, defaultValue: 0)],
                PixelRectangle(x: 480, y: 270, width: 960, height: 540)
            ),
        ] as [(String, [DeviceControl], PixelRectangle)])
    func byCropping(asked: String, controls: [DeviceControl], part: PixelRectangle) throws {
        let plan = try Self.plan("size: hd1080, \(asked)", Self.encode, Self.lens(controls))
        #expect(plan.cameras[0].controls.isEmpty)
        #expect(plan.cameraTracks[0].crop == part)
        // A track is never enlarged.
        #expect(plan.cameraTracks[0].settings.size == part.size)
        #expect(plan.notes.contains { $0.contains("its frames are cropped") } == asked.contains("zoom"))
    }

    @Test("a reduced camera gives its output the largest possible frame, cropped at the same position")
    func reduced() throws {
        let profile = try SessionPlanTests.profile(
            "cameras: { a: { size: hd1080, crop: '1:1', output: 900x900, zoom: 1 } }\n\(Self.encode)")
        let reduction = try PlanReduction(of: profile, devices: ["a": SessionPlanTests.camera()]) { plan in
            let pixels = plan.cameras[0].format.size.pixelCount
            return PlanReductionTests.cost(["cpu": Double(pixels) / 1e6])
        }
        let track = reduction.plan.cameraTracks[0]
        #expect(reduction.plan.cameras[0].format.size == SessionPlanTests.hd)
        #expect(track.crop == PixelRectangle(x: 280, y: 0, width: 720, height: 720))
        #expect(track.settings.size == FrameSize(width: 720, height: 720))
    }

    @Test(
        "an impossible value is reported in one sentence, at its field, with the possible ones",
        arguments: [
            (
                "size: uhd4k", encode,
                "cameras.a.size: found uhd4k (3840x2160), which the camera does not offer, expected vga, hd720 or hd1080, or one of yuyv 640x480 at 30/15; mjpeg 640x480 at 60/30; "
            ),
            (
                "size: hd1080, format: yuyv", encode,
                "which the camera does not offer as yuyv, expected vga or hd720"
            ),
            (
                "size: hd720, crop: { x: 0, y: 0, width: 1920, height: 1080 }", encode,
                "cameras.a.crop: found 1920x1080 at 0, 0, expected a rectangle within the camera's 1280x720 frame."
            ),
            (
                "crop: '1:1'", "tracks: { cameras: copy }",
                "cameras.a.crop: found a crop, zoom, or pan for a camera with only a copied track, which always contains the whole frame, expected tracks: { cameras: encode }, or a program that shows a."
            ),
            (
                "output: 640x360", "tracks: { cameras: copy }",
                "cameras.a.output: found “640x360”, but copied frames keep the camera's size, expected tracks: { cameras: encode }, or no `output` field."
            ),
            ("output: 640x360", program, "found “640x360”, but the camera has no track"),
            (
                "output: uhd4k", encode,
                "cameras.a.output: found “3840x2160”, which is larger than any size that the camera offers, expected a size no larger than 1920x1080, because frames are never upscaled."
            ),
            (
                "size: vga, output: hd720", encode,
                "cameras.a.output: found “1280x720”, which is larger than the camera's visible area of 640x480, expected at most 640x480, because frames are never upscaled."
            ),
            (
                "zoom: 6", encode,
                "cameras.a.zoom: found “6.0”, expected a number from 1 to 5.0, the zoom range of the camera."
            ),
            (
                "zoom: 2, controls: { zoom_absolute: 300 }", encode,
                "cameras.a.controls.zoom_absolute: found a control that zoom, pan or tilt of the same camera also sets, expected only one of these settings."
            ),
        ])
    func impossible(asked: String, rest: String, message: String) {
        let error = #expect(throws: ProfileError.self) { try Self.plan(asked, rest, Self.lens()) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("a full frame cannot be moved by cropping, which is reported")
    func nothingToMove() {
        let error = #expect(throws: ProfileError.self) { try Self.plan("pan: 0.5", Self.encode) }
        #expect(
            error?.description
                == "test.yaml:1:22: cameras.a.pan: found a pan or tilt without zoom for a camera without pan and tilt controls, expected a zoom factor above 1, or a crop."
        )
    }

    @Test("grayscale formats are used only if nothing else is offered, or if named")
    func grey() throws {
        let both = [
            SessionPlanTests.offer(.grey, SessionPlanTests.hd, 30),
            SessionPlanTests.offer(.yuyv, SessionPlanTests.vga, 30),
        ]
        #expect(
            try Self.plan("", Self.encode, SessionPlanTests.camera(both)).cameras[0].format.pixel == .yuyv)
        let named = try Self.plan("format: grey", Self.encode, SessionPlanTests.camera(both))
        #expect(named.cameras[0].format.pixel == .grey)
        let infrared = SessionPlanTests.camera([SessionPlanTests.offer(.grey, SessionPlanTests.hd, 30)])
        #expect(try Self.plan("", Self.encode, infrared).cameras[0].format.pixel == .grey)
        let copied = #expect(throws: ProfileError.self) {
            try Self.plan("", "tracks: { cameras: copy }", infrared)
        }
        #expect(copied?.description.contains("expected encode") == true)
    }
}
