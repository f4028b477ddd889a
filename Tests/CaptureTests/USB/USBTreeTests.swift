import MadeUpMachines
import Media
import Testing

@testable import Capture

@Suite("USB devices in sysfs")
struct USBTreeTests {
    private func tree(_ machine: MadeUpMachine) -> USBTree { USBTree(sysfs: machine.sysfs) }

    private func device(_ name: String, _ machine: MadeUpMachine) throws -> USBDevice {
        try #require(tree(machine).devices.first { $0.name == name })
    }

    @Test("place, speed and what is reserved now")
    func webcam() throws {
        let machine = try MadeUpMachine()
        try machine.bus(1)
        try machine.camera("usb1/1-2", node: 0, product: "Studio\u{7} Webcam", alternate: 6)
        let camera = try device("1-2", machine)
        #expect(camera.product == "Studio? Webcam")
        #expect(camera.productID == "046d:082d")
        #expect(camera.isCamera && camera.speed == .high && camera.sharedSpeed == .high)
        #expect(camera.controller == "0000:00:14.0" && camera.controllerDriver == "ehci-pci")
        #expect(camera.hubs == [USBHub(name: "usb1", speed: .high)])
        #expect(camera.interfaces.map(\.alternate) == [0, 6, 0, 0])
        #expect(camera.interfaces.first?.driver == "uvcvideo")
        #expect(camera.reservations.map(\.bytes) == [3072])
        #expect(
            tree(machine).buses == [
                USBBus(name: "usb1", controller: "0000:00:14.0", speed: .high, portCount: 4)
            ])
    }

    @Test("a camera of USB 3 behind a hub of USB 3")
    func superSpeed() throws {
        let machine = try MadeUpMachine()
        try machine.bus(2, driver: "xhci_hcd", speed: "5000")
        try machine.hub("usb2/2-1", speed: "5000")
        try machine.camera(
            "usb2/2-1/2-1.3", node: 0, speed: "5000", descriptors: USBBytes.superSpeedCamera(), alternate: 2)
        let camera = try device("2-1.3", machine)
        #expect(camera.hubs.map(\.name) == ["usb2", "2-1"])
        #expect(camera.knowsSuperSpeed == true)
        #expect(camera.reservations.map(\.bytes) == [16_384])
        #expect(camera.domain == "usb2 port 1")
        // 16 384 bytes and 32 for each of 16 packets, at 2 ns a byte.
        #expect(camera.reservations.first?.busTime == Nanoseconds(33_792))
    }

    @Test("who knows SuperSpeed is seen at a port of USB 2 too, where the system tells")
    func slowPort() throws {
        let machine = try MadeUpMachine()
        try machine.bus(1)
        let capabilities = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/bos_descriptors"
        try machine.camera("usb1/1-2", node: 0, descriptors: USBBytes.webcam(version: 0x0210))
        #expect(try device("1-2", machine).knowsSuperSpeed == nil)
        try machine.write(capabilities, USBBytes.capabilities([2, 3]))
        #expect(try device("1-2", machine).knowsSuperSpeed == true)
        try machine.write(capabilities, USBBytes.capabilities([2]))
        #expect(try device("1-2", machine).knowsSuperSpeed == false)
        try machine.camera("usb1/1-2", node: 0, descriptors: USBBytes.webcam(version: 0x0300))
        #expect(try device("1-2", machine).knowsSuperSpeed == true)
        try machine.camera("usb1/1-2", node: 0, descriptors: USBBytes.webcam())
        #expect(try device("1-2", machine).knowsSuperSpeed == false)
    }

    @Test("who shares bandwidth: all on the bus of an EHCI controller, those of a port with xHCI")
    func domains() throws {
        for (driver, shared) in [("ehci-pci", ["1-1", "1-2.1"]), ("xhci_hcd", ["1-2.1"])] {
            let machine = try MadeUpMachine()
            try machine.bus(1, driver: driver)
            try machine.bus(3, controller: "0000:00:1a.0")
            try machine.hub("usb1/1-2")
            try machine.camera("usb1/1-1", node: 0, alternate: 3)
            try machine.camera("usb1/1-2/1-2.1", node: 1, alternate: 5)
            try machine.camera("usb1/1-2/1-2.2", node: 2)
            try machine.camera("usb3/3-1", node: 3, controller: "0000:00:1a.0", alternate: 6)
            let tree = tree(machine)
            let camera = try device("1-2.2", machine)
            let neighbours = tree.neighbours(of: camera).filter(\.isCamera)
            #expect(neighbours.map(\.name).sorted() == shared)
            let schedule = try #require(tree.schedule(around: camera))
            let bytes = neighbours.flatMap(\.reservations).map(\.bytes)
            #expect(
                schedule.peak
                    == bytes.map { USBBusTime.ofIsochronous(bytes: $0, at: .high) }.reduce(.zero, +))
        }
    }

    @Test("a slow device behind a fast hub costs the fast bus its split transactions")
    func split() throws {
        let machine = try MadeUpMachine()
        try machine.bus(1)
        try machine.hub("usb1/1-2")
        try machine.camera("usb1/1-2/1-2.1", node: 0, speed: "12", alternate: 3)
        let camera = try device("1-2.1", machine)
        #expect(camera.sharedSpeed == .high)
        #expect(camera.reservations.map(\.busTime) == [USBBusTime.ofIsochronous(bytes: 188, at: .high)])
    }

    @Test("files that are missing or hold nonsense leave out what they would tell")
    func nonsense() throws {
        let machine = try MadeUpMachine()
        try machine.bus(1)
        try machine.camera("usb1/1-2", node: 0, alternate: 6)
        let folder = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-2"
        try machine.write("\(folder)/speed", "ludicrous\n")
        try machine.write("\(folder)/1-2:1.0/bInterfaceNumber", "zz\n")
        try machine.write("\(folder)/1-2:1.1/bAlternateSetting", "\n")
        try machine.write("\(folder)/1-2:1.2/bInterfaceClass", "100\n")
        let camera = try device("1-2", machine)
        #expect(camera.speed == nil && camera.reservations.isEmpty)
        #expect(camera.interfaces.map(\.number) == [3])
        try machine.remove("\(folder)/descriptors")
        try machine.remove("\(folder)/idVendor")
        #expect(tree(machine).devices.isEmpty)
        #expect(USBTree(sysfs: "/nonexistent").devices.isEmpty)
        #expect(USBTree(sysfs: "/nonexistent").buses.isEmpty)
    }
}
