import MulticamMedia
import Testing

@testable import MulticamPlan
@testable import MulticamProfiles

@Suite("Controls in a profile")
struct ProfileControlsTests {
    private static func webcam(
        _ controls: [DeviceControl], formats: [OfferedFormat] = SessionPlanTests.webcam,
        node: String = "/dev/video0"
    ) -> PlannedDevice {
        PlannedDevice(
            selector: "any",
            device: CaptureDevice(
                mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "Cam \(node)"),
                name: "Cam",
                node: node, selector: node, formats: formats, controls: controls))
    }

    private static let controls = [
        DeviceControl(
            name: "focus_automatic_continuous", kind: .boolean, value: 1, minimum: 0, maximum: 1,
            defaultValue: 1),
        DeviceControl(name: "focus_absolute", value: 0, minimum: 0, maximum: 250, step: 5, defaultValue: 0),
        DeviceControl(
            name: "power_line_frequency", kind: .menu, value: 0, minimum: 0, maximum: 2, defaultValue: 0,
            menu: [0: "Disabled", 1: "50 Hz", 2: "60 Hz"]),
        DeviceControl(name: "privacy", value: 0, minimum: 0, maximum: 1, defaultValue: 0, isReadOnly: true),
    ]

    private static func plan(
        _ controls: String, _ present: [DeviceControl] = controls
    ) throws(ProfileError) -> SessionPlan {
        let profile = try SessionPlanTests.profile("cameras: { a: { controls: { \(controls) } } }")
        return try SessionPlan(profile: profile, devices: ["a": webcam(present)])
    }

    @Test("menus can be set by their names, in quotes")
    func words() throws {
        let plan = try Self.plan(
            #"power_line_frequency: "60 Hz", focus_automatic_continuous: false, focus_absolute: 40"#)
        #expect(
            plan.cameras[0].controls == [
                ControlRequest(name: "power_line_frequency", value: 2),
                ControlRequest(name: "focus_automatic_continuous", value: 0),
                ControlRequest(name: "focus_absolute", value: 40),
            ])
    }

    @Test(
        "an impossible control is a profile error with its position, before the camera is opened",
        arguments: [
            (
                "focus_absolut: 3",
                "1:44: cameras.a.controls.focus_absolut: found a control that the camera does not have, expected an existing control such as focus_absolute, focus_automatic_continuous."
            ),
            (
                "focus_automatic_continuous: 0, focus_absolute: 42",
                "1:76: cameras.a.controls.focus_absolute: found “42”, expected a number from 0 to 250 in steps of 5."
            ),
            (
                "privacy: 1",
                "1:38: cameras.a.controls.privacy: found a read-only control, expected a writable control."
            ),
            (
                #"power_line_frequency: "55 Hz""#,
                "1:51: cameras.a.controls.power_line_frequency: found “55 Hz”, expected one of 0 (Disabled), 1 (50 Hz), 2 (60 Hz)."
            ),
            (
                "focus_absolute: 40",
                "1:45: cameras.a.controls.focus_absolute: found a control that `focus_automatic_continuous` sets automatically, expected `focus_automatic_continuous: 0` in addition to this control."
            ),
        ])
    func errors(controls: String, sentence: String) {
        let error = #expect(throws: ProfileError.self) { _ = try Self.plan(controls) }
        #expect(error?.description == "test.yaml:" + sentence)
    }

    @Test("a camera's rate is locked in the dark unless the profile disables this, and the plan notes it")
    func rateLock() throws {
        let dark = DeviceControl(
            name: "exposure_dynamic_framerate", kind: .boolean, value: 1, minimum: 0, maximum: 1,
            defaultValue: 1)
        let locked = try Self.plan("power_line_frequency: 1", Self.controls + [dark])
        #expect(
            locked.cameras[0].controls.last
                == ControlRequest(name: "exposure_dynamic_framerate", value: 0, origin: .rateLock))
        #expect(
            locked.notes.contains {
                $0.contains("in low light, the camera keeps its frame rate")
                    && $0.contains("exposure_dynamic_framerate: 1")
            })
        let free = try Self.plan("exposure_dynamic_framerate: 1", Self.controls + [dark])
        #expect(free.cameras[0].controls == [ControlRequest(name: "exposure_dynamic_framerate", value: 1)])
        #expect(!free.notes.contains { $0.contains("low light") })
        #expect(try Self.plan("power_line_frequency: 1").cameras[0].controls.count == 1)
    }

    // MARK: Matching

    @Test(
        "`match` names another camera of the profile",
        arguments: [
            ("b: { match: a }", CameraMatch(camera: "a")),
            ("b: { match: { camera: a } }", CameraMatch(camera: "a")),
            (
                "b: { match: { camera: a, what: [size, exposure] } }",
                CameraMatch(camera: "a", traits: [.size, .exposure])
            ),
        ])
    func match(text: String, match: CameraMatch) throws {
        let profile = try SessionPlanTests.profile("cameras: { a: {}, \(text) }")
        #expect(profile.cameras[1].match == match)
    }

    @Test(
        "a camera cannot match itself, an unknown camera, or one that matches another",
        arguments: [
            ("a: { match: a }, b: {}", "found the camera itself, expected b."),
            ("a: { match: desk }, b: {}", "found “desk”, which is not a camera of this profile, expected b."),
            ("a: { match: b }, b: { match: c }, c: {}", "found “b”, which itself matches c, expected c."),
            (
                "a: { match: b }, b: { match: a }",
                "found “b”, which itself matches a, expected no `match` field, because the profile does not have another camera."
            ),
            (
                "a: { match: { camera: b, what: [zoom] } }, b: {}",
                "found “zoom”, expected exposure, white-balance, focus, size or rate."
            ),
        ])
    func wrongMatch(cameras: String, end: String) {
        let error = #expect(throws: ProfileError.self) {
            _ = try SessionPlanTests.profile("cameras: { \(cameras) }")
        }
        #expect(error?.description.hasSuffix(end) == true, "\(error?.description ?? "")")
    }

    @Test("cameras matched in size and rate use the best format they all offer, and the plan names it")
    func formats() throws {
        let profile = try SessionPlanTests.profile(
            """
            cameras:
              a: { size: 1920x1080, rate: 60 }
              b: { match: { camera: a, what: [size, rate] } }
            """)
        let small = [
            SessionPlanTests.offer(.mjpeg, SessionPlanTests.hd, 30, 15),
            SessionPlanTests.offer(.mjpeg, SessionPlanTests.vga, 30),
        ]
        let plan = try SessionPlan(
            profile: profile,
            devices: [
                "a": SessionPlanTests.camera(), "b": SessionPlanTests.camera(small, node: "/dev/video2"),
            ])
        #expect(plan.cameras.map(\.format.size) == [SessionPlanTests.hd, SessionPlanTests.hd])
        #expect(plan.cameraTracks.map(\.rate) == [FrameRate(30), FrameRate(30)])
        #expect(plan.notes.contains("a, b: 1280x720 is the best common size."))
        #expect(plan.notes.contains("a, b: 30 is the best common frame rate."))
    }
}
