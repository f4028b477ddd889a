import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Device selectors")
struct DeviceSelectorTests {
    private static func camera(
        _ number: Int, _ name: String, path: String, serial: String = "",
        position: CaptureDevice.Position = .unspecified
    ) -> CaptureDevice {
        CaptureDevice(
            mediaType: .video, deviceType: .external, position: position,
            identity: DeviceIdentity(busPath: path, product: "046d:0825", serial: serial, name: name),
            name: name,
            node: "/dev/video\(number)", selector: "usb:\(path)")
    }

    private let cameras = [
        camera(0, "Integrated Camera", path: "pci-0-usb-0:7:1.0", position: .front),
        camera(2, "Webcam C270", path: "pci-0-usb-0:1:1.0", serial: "200901010001"),
        camera(4, "Webcam C270", path: "pci-0-usb-0:12:1.0", serial: "200901010001"),
        camera(6, "HD Pro Webcam C920", path: "pci-0-usb-0:2:1.0", serial: "8B2F"),
        camera(8, "HD Pro Webcam C920e", path: "pci-0-usb-0:3:1.0", serial: "9C30"),
    ]

    @Test(
        "matches exactly one camera",
        arguments: [
            ("/dev/video4", 4), ("usb:pci-0-usb-0:12:1.0", 4), ("usb:pci-0-usb-0:1", 2), ("serial:8B2F", 6),
            ("integrated", 0), ("position:front", 0), ("c920E", 8), ("hd pro webcam c920", 6),
        ])
    func one(selector: String, number: Int) throws {
        #expect(
            try DeviceSelector.resolve(selector, kind: "camera", among: cameras).node == "/dev/video\(number)"
        )
    }

    @Test(
        "matches no camera",
        arguments: [
            "/dev/video1", "/dev/video", "usb:pci-0-usb-0:4:1.0", "usb:", "serial:", "serial:8b2f",
            "position:back",
            "position:unspecified", "position:", "Brio", "", "pulse:x",
        ])
    func none(selector: String) {
        let error = #expect(throws: DeviceError.self) {
            try DeviceSelector.resolve(selector, kind: "camera", among: cameras)
        }
        #expect(error?.reason == .notFound)
    }

    @Test(
        "reports all candidates and selects none if several match",
        arguments: [
            ("serial:200901010001", [1, 2]), ("c270", [1, 2]), ("Webcam C270", [1, 2]),
            ("webcam", [1, 2, 3, 4]),
        ])
    func several(selector: String, fitting: [Int]) {
        let error = #expect(throws: DeviceError.self) {
            try DeviceSelector.resolve(selector, kind: "camera", among: cameras)
        }
        #expect(
            error?.reason
                == .ambiguous(candidates: fitting.map { "\(cameras[$0].selector) (\(cameras[$0].name))" }))
        #expect(error?.device == selector)
    }

    @Test("links a camera with its built-in microphone, and leaves other devices unlinked")
    func companions() {
        let microphone = CaptureDevice(
            mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "C920 mic"),
            name: "C920 mic",
            node: "alsa_input.c920", selector: "pulse:alsa_input.c920")
        let desk = CaptureDevice(
            mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "Desk"), name: "Desk",
            node: "alsa_input.desk", selector: "pulse:alsa_input.desk")
        let joined = Companions.joined(
            cameras: [
                LocatedDevice(device: cameras[3], usbDevice: "/sys/devices/usb1/1-2"),
                LocatedDevice(device: cameras[0], usbDevice: nil),
            ],
            microphones: [
                LocatedDevice(device: desk, usbDevice: nil),
                LocatedDevice(device: microphone, usbDevice: "/sys/devices/usb1/1-2"),
            ])
        #expect(joined.cameras.map(\.companion) == [microphone.identity, nil])
        #expect(joined.microphones.map(\.companion) == [nil, cameras[3].identity])
        #expect(joined.cameras.map(\.node) == ["/dev/video6", "/dev/video0"])
    }
}
