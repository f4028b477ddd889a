import MulticamMedia
import Testing

@Suite("Recognition of known devices")
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

    @Test("A serial number identifies a camera at any port among others of its model")
    func serialAtAnotherPort() {
        let known = camera(port: "1", serial: "A").identity
        let moved = camera(port: "3", serial: "A")
        let others = [camera(port: "1", serial: "B"), camera(port: "2", serial: "C")]
        #expect(known.search(among: others + [moved]) == .found(moved, isElsewhere: true))
        #expect(known.search(among: others) == .absent)
    }

    @Test(
        "Among cameras with the same serial number or none, the one at the known port is found",
        arguments: ["", "0000"])
    func portDecides(serial: String) {
        let known = camera(port: "2", serial: serial)
        let twin = camera(port: "1", serial: serial)
        #expect(known.identity.search(among: [twin, known]) == .found(known, isElsewhere: false))
        #expect(known.identity.differsOnlyInPort(from: twin.identity))
        #expect(!known.identity.differsOnlyInPort(from: known.identity))
    }

    @Test(
        "Without a serial number, a camera at a new port is recognized only if no other is of its model")
    func onlyOneOfItsKind() {
        let known = camera(port: "1").identity
        let second = camera(port: "2")
        let third = camera(port: "3")
        #expect(known.search(among: [second]) == .found(second, isElsewhere: true))
        #expect(known.search(among: [second, third]) == .ambiguous([second, third]))
    }

    @Test("A different product ID, name, interface, or serial number prevents recognition")
    func neverAnother() {
        let known = camera(port: "1").identity
        for other in [
            camera(port: "1", product: "046d:0825"), camera(port: "1", name: "Webcam Pro"),
            camera(port: "1", interface: "1.2"), camera(port: "1", serial: "X"),
        ] {
            #expect(known.search(among: [other]) == .absent)
        }
    }

    @Test("Several identical devices without ports are ambiguous, but a single one is found")
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

    @Test("Among identical cameras, one at its known port isn't mistaken for one that moved")
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
