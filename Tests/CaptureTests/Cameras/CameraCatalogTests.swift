import Foundation
import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Cameras in sysfs")
struct CameraCatalogTests {
    private func tree() throws -> TemporaryFolder { try SyntheticSysfs.studio() }

    private func cameras(_ tree: TemporaryFolder) throws -> [CaptureDevice] {
        try CameraCatalog(sysfs: tree.path, nodes: "/nonexistent/dev").cameras()
    }

    @Test("lists every camera once, by number, without metadata nodes")
    func nodes() throws {
        #expect(
            try cameras(tree()).map(\.node) == [
                "/nonexistent/dev/video0", "/nonexistent/dev/video4", "/nonexistent/dev/video10",
            ])
    }

    @Test("reads identity, location, and type from sysfs")
    func facts() throws {
        let cameras = try cameras(tree())
        let webcam = try #require(cameras.first { $0.node.hasSuffix("video10") })
        #expect(
            webcam.identity
                == DeviceIdentity(
                    busPath: "pci-0000:00:14.0-usb-0:2:1.0", product: "046d:082d", serial: "LAB0001",
                    name: "Studio? Webcam"))
        #expect(webcam.selector == "usb:pci-0000:00:14.0-usb-0:2:1.0")
        #expect(webcam.controller == "0000:00:14.0")
        #expect(webcam.busSpeed == 480)
        #expect(webcam.deviceType == .external && webcam.isTypeKnown)
        #expect(webcam.name == "Studio? Webcam")
        let own = try #require(cameras.first { $0.node.hasSuffix("video0") })
        #expect(own.deviceType == .builtIn && own.isTypeKnown)
        #expect(own.identity.serial.isEmpty)
    }

    @Test("names a non-USB camera by its node")
    func virtual() throws {
        let camera = try #require(try cameras(tree()).first { $0.node.hasSuffix("video4") })
        #expect(camera.selector == camera.node)
        #expect(camera.controller == nil)
        #expect(camera.deviceType == .external && !camera.isTypeKnown)
        #expect(camera.identity == DeviceIdentity(name: "vivid-000-vid-cap"))
    }

    @Test("lists a camera with its problem if its node does not respond")
    func problem() throws {
        for camera in try cameras(tree()) {
            guard case .failing(let why) = camera.problem else {
                Issue.record("\(camera.node) has no problem")
                continue
            }
            #expect(why.contains("no such device"))
        }
    }

    @Test("names two cameras in one device as the driver does")
    func twins() throws {
        let tree = try tree()
        try SyntheticSysfs.addNode(
            tree, "devices/pci0000:00/0000:00:14.0/usb1/1-7/1-7:1.2", "video5", index: 0,
            name: "Integrated Camera: Integrated I")
        let names = try cameras(tree).map(\.name)
        #expect(names.contains("Integrated Camera: Integrated C"))
        #expect(names.contains("Integrated Camera: Integrated I"))
    }

    @Test("lists streams of one function, such as depth and infrared, as separate devices")
    func streams() throws {
        let tree = try tree()
        let function = "devices/pci0000:00/0000:00:14.0/usb1/1-7/1-7:1.0"
        try SyntheticSysfs.addNode(
            tree, function, "video1", index: 1, name: "Integrated Camera: Integrated C")
        try SyntheticSysfs.addNode(
            tree, function, "video2", index: 2, name: "Integrated Camera: Integrated C")
        let present = PresentCameras(tree: SysfsTree(root: tree.path), nodes: "/dev").devices()
        let own = present.filter { $0.name.hasPrefix("Integrated") }
        #expect(own.map(\.node) == ["/dev/video0", "/dev/video2"])
        #expect(
            own.map(\.selector) == [
                "usb:pci-0000:00:14.0-usb-0:7:1.0", "usb:pci-0000:00:14.0-usb-0:7:1.0-video-index2",
            ])
        for camera in own {
            #expect(try DeviceSelector.resolve(camera.selector, kind: "camera", among: present) == camera)
            #expect(
                DeviceIdentity.search(for: [camera.identity], among: present) == [
                    .found(camera, isElsewhere: false)
                ])
        }
    }

    @Test("lists no cameras without sysfs")
    func empty() throws {
        #expect(try CameraCatalog(sysfs: "/nonexistent", nodes: "/dev").cameras().isEmpty)
    }

    @Test(
        "resolves a sound card's path to its camera's USB device, with or without the sysfs mount point"
    )
    func usbDevice() throws {
        let tree = try tree()
        let sysfs = SysfsTree(root: tree.path)
        let device = try #require(Paths.resolved("\(tree.path)/devices/pci0000:00/0000:00:14.0/usb1/1-2"))
        let card = "/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.2/sound/card1"
        #expect(sysfs.usbDevice(of: card) == device)
        #expect(sysfs.usbDevice(of: tree.path + card) == device)
        #expect(sysfs.usbDevice(of: "\(tree.path)/class/video4linux/video10") == device)
        #expect(sysfs.usbDevice(of: "/devices/platform/vivid.0") == nil)
        #expect(sysfs.usbDevice(of: "/devices/nowhere") == nil)
        #expect(sysfs.usbDevice(of: "/devices/pci0000:00/0000:00:14.0/usb1") == nil)
    }

    @Test("reports an unknown device type if the firmware does not state whether a camera is removable")
    func unknownType() throws {
        let tree = try tree()
        try tree.write(
            "removable", in: "devices/pci0000:00/0000:00:14.0/usb1/1-7", "unknown\n")
        let camera = try #require(try cameras(tree).first { $0.node.hasSuffix("video0") })
        #expect(camera.deviceType == .external && !camera.isTypeKnown)
    }

    @Test("names a controller behind a bridge below a platform device as udev does")
    func controllerOnBridge() throws {
        let tree = try TemporaryFolder()
        let bridge = "devices/platform/scb/fd500000.pcie/pci0000:00/0000:00:00.0"
        let controller = "\(bridge)/0000:01:00.0"
        for name in ["class/video4linux", "bus/pci", "bus/platform"] { try tree.folder(name) }
        try tree.folder(controller)
        let platforms = ["devices/platform/scb", "devices/platform/scb/fd500000.pcie"]
        for (folders, name) in [([bridge, controller], "pci"), (platforms, "platform")] {
            for folder in folders { try tree.link("\(folder)/subsystem", to: "\(tree.path)/bus/\(name)") }
        }
        try SyntheticSysfs.addDevice(
            tree, "\(controller)/usb1/1-1/1-1.3", product: "Webcam", serial: nil, removable: "removable")
        try SyntheticSysfs.addNode(
            tree, "\(controller)/usb1/1-1/1-1.3/1-1.3:1.0", "video0", index: 0, name: "Webcam")
        #expect(
            try cameras(tree).map(\.identity.busPath) == [
                "platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.3:1.0"
            ])
    }

    @Test("shortens 4 KB device texts and replaces their control characters")
    func hostileWords() throws {
        let tree = try TemporaryFolder()
        let hostile = String(repeating: "\u{1B}]0;x\u{7}\n\u{202E}", count: 512)
        let device = "devices/pci0000:00/0000:00:14.0/usb1/1-2"
        try tree.folder("class/video4linux")
        try SyntheticSysfs.addDevice(
            tree, device, product: "Cam\(hostile)", serial: "S\(hostile)", removable: "removable")
        try tree.write("idProduct", in: device, "\(hostile)")
        try SyntheticSysfs.addNode(tree, "\(device)/1-2:1.0", "video0", index: 0, name: "Cam\(hostile)")
        let camera = try #require(try cameras(tree).first)
        let words = [
            camera.name, camera.identity.name, camera.identity.serial, camera.identity.product,
            camera.identity.busPath, camera.controller ?? "",
        ]
        for word in words {
            #expect(word.count <= 201)
            #expect(word == word.printable(limit: 201))
        }
        #expect(camera.name.hasPrefix("Cam?]0;x?"))
    }

    // MARK: Looking again

    /// Returns the same answer for every node, and records the nodes that were queried.
    private final class QueryRecorder: Sendable {
        private let state: ConditionLock<(outcome: NodeProperties.Outcome, nodes: [String])>

        init(outcome: NodeProperties.Outcome) {
            state = ConditionLock((outcome, []))
        }

        func answer(_ camera: SysfsCamera) -> NodeProperties.Outcome {
            state.withLock { state in
                state.nodes.append(Paths.name(camera.node))
                return state.outcome
            }
        }

        func setOutcome(_ outcome: NodeProperties.Outcome) { state.withLock { $0.outcome = outcome } }

        /// The nodes that were queried since the last call.
        func dequeueNodes() -> [String] {
            state.withLock { state in
                defer { state.nodes = [] }
                return state.nodes
            }
        }
    }

    private func catalog(
        _ tree: TemporaryFolder, _ asked: QueryRecorder, isSettled: Bool = true
    ) -> CameraCatalog {
        CameraCatalog(
            sysfs: tree.path, nodes: "/nonexistent/dev", isSettled: { _ in isSettled },
            query: { asked.answer($0) })
    }

    @Test("opens a node once while it exists, and again if another node replaces it")
    func openedOnce() throws {
        let tree = try tree()
        let asked = QueryRecorder(outcome: .camera(NodeProperties()))
        let catalog = catalog(tree, asked)
        var known = KnownNodes()
        let first = catalog.scan(&known, settleTimeout: .zero).cameras
        #expect(asked.dequeueNodes() == ["video0", "video3", "video4", "video10"])
        #expect(catalog.scan(&known, settleTimeout: .zero).cameras == first)
        #expect(asked.dequeueNodes().isEmpty)

        try SyntheticSysfs.addNode(tree, "devices/platform/vivid.1", "video5", index: 0, name: "vivid")
        #expect(catalog.scan(&known, settleTimeout: .zero).cameras.count == first.count + 1)
        #expect(asked.dequeueNodes() == ["video5"])

        // The device was unplugged and restored between two scans.
        let folder = "\(tree.path)/devices/platform/vivid.1/video4linux"
        try FileManager.default.moveItem(atPath: "\(folder)/video5", toPath: "\(folder)/gone")
        try SyntheticSysfs.writeNode(tree, "devices/platform/vivid.1", "video5", index: 0, name: "vivid")
        #expect(catalog.scan(&known, settleTimeout: .zero).cameras.count == first.count + 1)
        #expect(asked.dequeueNodes() == ["video5"])
    }

    @Test("queries a node with a problem on every scan until the problem is resolved")
    func askedAgain() throws {
        let tree = try tree()
        let asked = QueryRecorder(outcome: .camera(NodeProperties(problem: .noPermission(group: "video"))))
        let catalog = catalog(tree, asked)
        var known = KnownNodes()
        for _ in 0..<2 {
            let cameras = catalog.scan(&known, settleTimeout: .zero).cameras
            #expect(cameras.allSatisfy { $0.device.problem == .noPermission(group: "video") })
            #expect(asked.dequeueNodes().count == 4)
        }
        asked.setOutcome(.camera(NodeProperties()))
        #expect(catalog.scan(&known, settleTimeout: .zero).cameras.allSatisfy { $0.device.problem == nil })
        #expect(asked.dequeueNodes().count == 4)
        _ = catalog.scan(&known, settleTimeout: .zero)
        #expect(asked.dequeueNodes().isEmpty)
    }

    @Test(
        "holds back a new node for a while until udevd makes it accessible, then reports it with its problem"
    )
    func patience() throws {
        let tree = try tree()
        let asked = QueryRecorder(outcome: .camera(NodeProperties(problem: .noPermission(group: "video"))))
        var known = KnownNodes()
        let waiting = catalog(tree, asked, isSettled: false)
        let (cameras, again) = waiting.scan(&known, settleTimeout: .seconds(3600))
        #expect(cameras.isEmpty)
        #expect(again != nil)
        // The time limit has passed.
        let late = waiting.scan(&known, settleTimeout: .zero)
        #expect(late.cameras.count == 4 && late.again == nil)
        // The udev daemon is done, but the user still has insufficient permissions.
        let settled = catalog(tree, asked).scan(&known, settleTimeout: .seconds(3600))
        #expect(settled.cameras.count == 4 && settled.again == nil)
    }

    @Test("holds back a new node that the driver cannot open yet, and reports a busy one immediately")
    func settling() throws {
        let tree = try tree()
        let asked = QueryRecorder(outcome: .camera(NodeProperties(problem: .failing("no such device"))))
        let catalog = catalog(tree, asked)
        var known = KnownNodes()
        let (none, again) = catalog.scan(&known, settleTimeout: .seconds(3600))
        #expect(none.isEmpty && again != nil)
        asked.setOutcome(.camera(NodeProperties(problem: .inUse(by: "obs"))))
        let (cameras, never) = catalog.scan(&known, settleTimeout: .seconds(3600))
        #expect(cameras.count == 4 && never == nil)
        // A camera stays listed after it was reported. A later problem is a change, not a removal.
        asked.setOutcome(.camera(NodeProperties(problem: .failing("no answer"))))
        #expect(catalog.scan(&known, settleTimeout: .seconds(3600)).cameras.count == 4)
    }
}
