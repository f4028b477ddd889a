import Media
import Testing

@Suite("Finding a device again")
struct DeviceSearchTests {
    private func camera(
        port: String, serial: String = "", product: String = "046d:082d", name: String = "Webcam",
        interface: String = "1.0"
    ) -> CaptureDevice {
        let path = "pci-0000:00:14.0-usb-0:\(port):\(interface)"
        return CaptureDevice(
            mediaType: .video, deviceType: .external,
            identity: DeviceIdentity(busPath: path, product: product, serial: serial, name: name), name: name,
            node: "/dev/video\(port)", selector: "usb:\(path)")
    }

    @Test("A serial number tells a camera at any port, among others of its kind")
    func serialAtAnotherPort() {
        let known = camera(port: "1", serial: "A").identity
        let moved = camera(port: "3", serial: "A")
        let others = [camera(port: "1", serial: "B"), camera(port: "2", serial: "C")]
        #expect(known.search(among: others + [moved]) == .found(moved, isElsewhere: true))
        #expect(known.search(among: others) == .absent)
    }

    @Test(
        "Of cameras with one serial number, or with none, the one at the known port is meant",
        arguments: ["", "0000"])
    func portDecides(serial: String) {
        let known = camera(port: "2", serial: serial)
        let twin = camera(port: "1", serial: serial)
        #expect(known.identity.search(among: [twin, known]) == .found(known, isElsewhere: false))
        #expect(known.identity.isTwin(of: twin.identity))
        #expect(!known.identity.isTwin(of: known.identity))
    }

    @Test(
        "Without a serial number a camera at a new port is recognised only if it is the only one of its kind")
    func onlyOneOfItsKind() {
        let known = camera(port: "1").identity
        let second = camera(port: "2")
        let third = camera(port: "3")
        #expect(known.search(among: [second]) == .found(second, isElsewhere: true))
        #expect(known.search(among: [second, third]) == .ambiguous([second, third]))
    }

    @Test("Another product, another name or another camera of the same device is never taken for it")
    func neverAnother() {
        let known = camera(port: "1").identity
        for other in [
            camera(port: "1", product: "046d:0825"), camera(port: "1", name: "Webcam Pro"),
            camera(port: "1", interface: "1.2"), camera(port: "1", serial: "X"),
        ] {
            #expect(known.search(among: [other]) == .absent)
        }
    }
}
