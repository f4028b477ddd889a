import MulticamMedia
import MulticamSyntheticMachines
import Testing

@testable import MulticamCapture

@Suite("USB devices in sysfs")
struct USBTreeTests {
    private func tree(_ machine: SyntheticMachine) -> USBTree { USBTree(sysfs: machine.sysfs) }

    private func device(_ name: String, _ machine: SyntheticMachine) throws -> USBDevice {
        try #require(tree(machine).devices.first { $0.name == name })
    }

    @Test("reads location, speed, and current reservations")
    func webcam() throws {
        let machine = try SyntheticMachine()
        try machine.bus(1)
        try machine.camera("usb1/1-2", node: 0, product: "Studio\u{7} Webcam", alternate: 6)
        let camera = try device("1-2", machine)
        #expect(camera.product == "Studio? Webcam")
        #expect(camera.productID == "046d:082d")
        #expect(camera.isCamera && camera.speed == .high)
        #expect(camera.controller == "0000:00:14.0" && camera.controllerDriver == "ehci-pci")
        #expect(camera.hubs == [USBHub(name: "usb1", speed: .high)])
        #expect(camera.interfaces.map(\.alternate) == [0, 6, 0, 0])
        #expect(camera.interfaces.first?.driver == "uvcvideo")
        #expect(camera.reservations.map(\.bytes) == [3072])
        #expect(
            tree(machine).buses == [
                USBBus(
                    name: "usb1", controller: "0000:00:14.0", speed: .high, portCount: 4,
                    freePorts: [1, 3, 4],
                    controllerDriver: "ehci-pci", bandwidthLimit: .driverDefault)
            ])
    }

    @Test("reads a USB 3 camera behind a USB 3 hub")
    func superSpeed() throws {
        let machine = try SyntheticMachine()
        try machine.bus(2, driver: "xhci_hcd", speed: "5000")
        try machine.hub("usb2/2-1", speed: "5000")
        try machine.camera(
            "usb2/2-1/2-1.3", node: 0, speed: "5000", descriptors: USBBytes.superSpeedCamera(), alternate: 2)
        let camera = try device("2-1.3", machine)
        #expect(camera.hubs.map(\.name) == ["usb2", "2-1"])
        #expect(camera.supportsSuperSpeed == true)
        #expect(camera.reservations.map(\.bytes) == [16_384])
        let port = try #require(camera.domains.first)
        #expect(camera.domains.count == 1 && port.name == "2-port1" && port.speed == .superSpeed)
        // According to `xhci_get_ss_bw_consumed`, the stream needs 32 blocks plus 8 + 64 for each of 16
        // packets, at 32 ns per block.
        #expect(
            camera.reservations.map { port.time(of: $0, at: .superSpeed) } == [
                Nanoseconds((32 + 16 * 72) * 32)
            ]
        )
    }

    @Test("detects SuperSpeed support also at a USB 2 port, if the system reports it")
    func slowPort() throws {
        let machine = try SyntheticMachine()
        try machine.bus(1)
        let capabilities = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/bos_descriptors"
        try machine.camera("usb1/1-2", node: 0, descriptors: USBBytes.webcam(version: 0x0210))
        #expect(try device("1-2", machine).supportsSuperSpeed == nil)
        try machine.write(capabilities, USBBytes.capabilities([2, 3]))
        #expect(try device("1-2", machine).supportsSuperSpeed == true)
        try machine.write(capabilities, USBBytes.capabilities([2]))
        #expect(try device("1-2", machine).supportsSuperSpeed == false)
        try machine.camera("usb1/1-2", node: 0, descriptors: USBBytes.webcam(version: 0x0300))
        #expect(try device("1-2", machine).supportsSuperSpeed == true)
        try machine.camera("usb1/1-2", node: 0, descriptors: USBBytes.webcam())
        #expect(try device("1-2", machine).supportsSuperSpeed == false)
    }

    @Test("shares bandwidth across the bus of an EHCI controller, and per port with xHCI")
    func domains() throws {
        for (driver, shared) in [("ehci-pci", ["1-1", "1-2.1"]), ("xhci_hcd", ["1-2.1"])] {
            let machine = try SyntheticMachine()
            try machine.bus(1, driver: driver)
            try machine.bus(3, controller: "0000:00:1a.0")
            try machine.hub("usb1/1-2")
            try machine.camera("usb1/1-1", node: 0, alternate: 3)
            try machine.camera("usb1/1-2/1-2.1", node: 1, alternate: 5)
            try machine.camera("usb1/1-2/1-2.2", node: 2)
            try machine.camera("usb3/3-1", node: 3, controller: "0000:00:1a.0", alternate: 6)
            let tree = tree(machine)
            let camera = try device("1-2.2", machine)
            let neighbors = tree.neighbors(of: camera).filter(\.isCamera)
            #expect(neighbors.map(\.name).sorted() == shared)
            let domain = try #require(camera.domains.first)
            #expect(domain.name == (driver == "xhci_hcd" ? "1-port2" : "1"))
            let times = neighbors.flatMap(\.reservations).map { domain.time(of: $0, at: .high) }
            #expect(tree.load(around: camera).peak(domain) == times.reduce(.zero, +))
        }
    }

    @Test("charges split transactions of a slow device behind a fast hub to the fast bus")
    func split() throws {
        let machine = try SyntheticMachine()
        try machine.bus(1)
        try machine.hub("usb1/1-2")
        try machine.camera("usb1/1-2/1-2.1", node: 0, speed: "12", alternate: 3)
        let camera = try device("1-2.1", machine)
        #expect(camera.domains.map(\.name) == ["1", "1-2-tt"])
        let reservation = try #require(camera.reservations.first)
        #expect(reservation.bytes == 1024)
        // EHCI counts the whole packet in each microframe, in whole microseconds. On the slow side, it counts
        // an eighth of the frame's time.
        #expect(
            camera.domains.map { $0.time(of: reservation, at: .full) } == [
                .microseconds(21),
                Nanoseconds(USBBusTime.isochronous(bytes: 1024, at: .full).count / 8),
            ])
    }

    @Test(
        "treats a hub slower than its port, and a full-speed device at the port itself, as bottlenecks"
    )
    func narrow() throws {
        let machine = try SyntheticMachine()
        try machine.bus(2, driver: "xhci_hcd", speed: "10000")
        try machine.hub("usb2/2-1", speed: "10000")
        try machine.hub("usb2/2-1/2-1.4", speed: "5000")
        try machine.camera(
            "usb2/2-1/2-1.4/2-1.4.1", node: 0, speed: "5000", descriptors: USBBytes.superSpeedCamera())
        try machine.bus(1, driver: "xhci_hcd")
        try machine.camera("usb1/1-3", node: 1, speed: "12")
        let behind = try device("2-1.4.1", machine)
        #expect(behind.domains.map(\.name) == ["2-port1", "2-1.4"])
        #expect(behind.domains.map(\.speed) == [.superPlus, .superSpeed])
        let slow = try device("1-3", machine)
        #expect(slow.domains.map(\.name) == ["1-port3"] && slow.domains.map(\.speed) == [.full])
    }

    @Test("does not list ports that the firmware calls built-in as free")
    func freePorts() throws {
        let machine = try SyntheticMachine()
        try machine.bus(1, driver: "xhci_hcd")
        try machine.camera("usb1/1-1", node: 0)
        let ports = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-0:1.0"
        try machine.write("\(ports)/usb1-port2/connect_type", "hardwired\n")
        try machine.write("\(ports)/usb1-port3/connect_type", "hotplug\n")
        try machine.write("\(ports)/usb1-port4/connect_type", "not used\n")
        let bus = try #require(tree(machine).buses.first)
        #expect(bus.freePorts == [3] && bus.freeDomain?.name == "1-port3")
    }

    @Test("omits facts from missing or invalid files")
    func nonsense() throws {
        let machine = try SyntheticMachine()
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
