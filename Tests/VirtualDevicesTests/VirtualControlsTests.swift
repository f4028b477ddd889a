import Foundation
import MulticamMedia
import Testing

@testable import MulticamVirtualDevices

@Suite("Controls of a virtual camera")
struct VirtualControlsTests {
    private static func camera(_ query: String = "", role: String = "desk") throws -> VirtualCamera {
        try VirtualCamera(
            role: role,
            settings: VirtualCameraSettings(selector: "virtual:bars?size=64x48&format=nv12\(query)"))
    }

    /// Returns the luma at the center of the first bar, which is white at 75 %.
    private static func luma(of camera: VirtualCamera) throws -> Int {
        let run = try DeviceRun<CameraEvent>(camera, seconds: 0.2)
        let frame = try #require(run.frames.first)
        return Int(frame.startOfPlane(0)[24 * frame.planes[0].stride + 4])
    }

    @Test(
        "it has the controls of a webcam, with automatic exposure, color, and focus turned on")
    func list() throws {
        let controls = try Self.camera().readControls()
        for name in [
            "brightness", "auto_exposure", "exposure_time_absolute", "gain", "white_balance_temperature",
            "focus_absolute",
        ] { #expect(controls.named(name) != nil, "\(name)") }
        // According to the plan, the camera can't zoom in hardware.
        for name in ["zoom_absolute", "pan_absolute", "tilt_absolute"] {
            #expect(controls.named(name) == nil, "\(name)")
        }
        #expect(
            controls.filter(\.isInactive).map(\.name).sorted() == [
                "exposure_time_absolute", "focus_absolute", "white_balance_temperature",
            ])
        #expect(try Self.camera().device.controls == controls)
    }

    @Test("automatic values differ between cameras and depend only on the role")
    func metered() throws {
        func exposure(_ role: String) throws -> Int64? {
            try Self.camera(role: role).readControls().named("exposure_time_absolute")?.value
        }
        #expect(try exposure("desk") != exposure("face"))
        #expect(try exposure("desk") == exposure("desk"))
    }

    @Test("brightness, exposure, and gain affect the frame; automatic values do not")
    func look() throws {
        let camera = try Self.camera()
        let usual = try Self.luma(of: camera)
        #expect(camera.setControls([ControlRequest(name: "brightness", value: 20)])[0].matchesRequest)
        #expect(try Self.luma(of: camera) > usual + 10)
        _ = camera.setControls([ControlRequest(name: "brightness", value: 0)])
        // Turning off automatic exposure keeps the current value.
        _ = camera.setControls([ControlRequest(name: "auto_exposure", value: 1)])
        #expect(try Self.luma(of: camera) == usual)
        let time = try #require(camera.readControls().named("exposure_time_absolute")?.value)
        _ = camera.setControls([ControlRequest(name: "exposure_time_absolute", value: time / 2)])
        #expect(try Self.luma(of: camera) < usual - 40)
        _ = camera.setControls([ControlRequest(name: "auto_exposure", value: 3)])
        #expect(try Self.luma(of: camera) == usual)
    }

    @Test("requests are rejected for the same reasons as by a webcam")
    func refusals() throws {
        let camera = try Self.camera()
        let outcomes = camera.setControls([
            ControlRequest(name: "focus_absolute", value: 40), ControlRequest(name: "sharpness", value: 1),
            ControlRequest(name: "gain", value: 256),
        ])
        #expect(outcomes[0].fault == .governed(by: "focus_automatic_continuous", manual: 0))
        guard case .unknownControl = outcomes[1].fault else {
            return #expect(Bool(false), "sharpness is unknown")
        }
        #expect(outcomes[2].fault == .outOfRange(256, 0, 255, step: 1))
    }

    @Test("the selector can omit existing controls, but not unknown ones")
    func lacks() throws {
        let camera = try Self.camera("&lacks=focus_absolute,gain")
        #expect(camera.readControls().named("gain") == nil)
        #expect(camera.readControls().named("focus_absolute") == nil)
        #expect(camera.readControls().named("brightness") != nil)
        let error = #expect(throws: VirtualDeviceError.self) { _ = try Self.camera("&lacks=legs") }
        #expect(error?.description.contains("focus_absolute") == true)
    }
}
