import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

@Suite("A microphone's camera in a plan")
struct MicrophoneCameraTests {
    private static func device(_ type: CaptureDevice.MediaType, _ path: String) -> PlannedDevice {
        PlannedDevice(
            selector: "any",
            device: CaptureDevice(
                mediaType: type, deviceType: type == .video ? .external : .microphone,
                identity: DeviceIdentity(busPath: path, product: "046d:082d", name: "Webcam"), name: "Webcam",
                node: path, selector: path, formats: type == .video ? SessionPlanTests.webcam : []))
    }

    private static func camera(of microphone: String, in profile: String) throws -> String? {
        let plan = try SessionPlan(
            profile: SessionPlanTests.profile(profile),
            devices: [
                "desk": device(.video, "pci-0000:00:14.0-usb-0:1:1.0"),
                "face": device(.video, "pci-0000:00:14.0-usb-0:2:1.0"),
                "host": device(.audio, microphone),
            ])
        return plan.microphones.first?.camera
    }

    @Test("a microphone's camera is the one named in the profile, else the one it is built into, else none")
    func camera() throws {
        let profile = "cameras: { desk: , face: }\nmicrophones: { host: }\ntitle: T"
        #expect(try Self.camera(of: "pci-0000:00:14.0-usb-0:2:1.2", in: profile) == "face")
        #expect(try Self.camera(of: "pci-0000:00:14.0-usb-0:3:1.2", in: profile) == nil)
        #expect(try Self.camera(of: "", in: profile) == nil)
        let named = "cameras: { desk: , face: }\nmicrophones: { host: { camera: desk } }"
        #expect(try Self.camera(of: "pci-0000:00:14.0-usb-0:2:1.2", in: named) == "desk")
    }
}
