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

    @Test("Identical devices that have no port are told apart by nothing")
    func withoutPorts() {
        let sources = ["a", "b"].map { node in
            CaptureDevice(
                mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "Line"),
                name: "Line", node: node, selector: "pulse:\(node)")
        }
        #expect(DeviceIdentity(name: "Line").search(among: sources) == .ambiguous(sources))
        #expect(
            DeviceIdentity(name: "Line").search(among: [sources[1]])
                == .found(sources[1], isElsewhere: false))
    }

    @Test("Of several known twins, the one at its port is not taken for the one that moved")
    func severalAtOnce() {
        let (first, second) = (camera(port: "1"), camera(port: "2"))
        let moved = camera(port: "3")
        let known = [camera(port: "9").identity, first.identity, second.identity]
        #expect(
            DeviceIdentity.search(for: known, among: [first, second, moved]) == [
                .found(moved, isElsewhere: true), .found(first, isElsewhere: false),
                .found(second, isElsewhere: false),
            ])
        #expect(
            DeviceIdentity.search(for: known, among: [first, second]) == [
                .absent, .found(first, isElsewhere: false), .found(second, isElsewhere: false),
            ])
    }
}
