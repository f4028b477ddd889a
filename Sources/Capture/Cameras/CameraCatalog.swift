import Glibc
public import Media

/// Lists the cameras that are connected to the computer now.
public struct CameraCatalog: Sendable {
    private let tree: SysfsTree
    /// Folder of the device nodes, usually `/dev`.
    let nodes: String
    private let isSettled: @Sendable (String) -> Bool
    private let ask: @Sendable (SysfsCamera) -> NodeAnswers.Outcome

    /// Looks in `/sys` and `/dev`, and asks udev where udevd runs.
    public init() {
        // Where udevd runs, it sets the permissions of a new node after the node appears.
        self.init(
            sysfs: "/sys", nodes: "/dev",
            isSettled: { !UdevProperties.isServed || UdevProperties().isSettled($0) })
    }

    /// Looks in other folders, for tests.
    ///
    /// - Parameters:
    ///   - sysfs: Where sysfs is mounted. udev is asked only about `/sys`.
    ///   - nodes: Folder of the device nodes.
    package init(sysfs: String, nodes: String) {
        self.init(sysfs: sysfs, nodes: nodes, isSettled: { _ in true })
    }

    /// Looks in other folders with other sources of facts, for tests.
    ///
    /// - Parameters:
    ///   - sysfs: Where sysfs is mounted. udev is asked only about `/sys`.
    ///   - nodes: Folder of the device nodes.
    ///   - isSettled: Whether udevd has set the permissions of the node of a folder in sysfs.
    ///   - ask: Opens a node and asks what it is.
    init(
        sysfs: String, nodes: String, isSettled: @escaping @Sendable (String) -> Bool,
        ask: @escaping @Sendable (SysfsCamera) -> NodeAnswers.Outcome = NodeAnswers.ask
    ) {
        tree = SysfsTree(root: sysfs)
        self.nodes = nodes
        self.isSettled = isSettled
        self.ask = ask
    }

    /// Returns every camera with its formats and controls, ordered by node number. A camera that cannot be used is
    /// included with its problem.
    ///
    /// Opens each node for a moment, which takes milliseconds per camera. Must not be called in a Swift task.
    ///
    /// - Returns: The cameras.
    /// - Throws: Nothing; a node that cannot be opened is a camera with a problem.
    public func cameras() throws(DeviceError) -> [CaptureDevice] {
        locatedCameras().map(\.device)
    }

    /// Returns the cameras with the USB device that each belongs to, which leads to the microphones in them.
    package func locatedCameras() -> [LocatedDevice] {
        var known = KnownNodes()
        return look(&known, patience: .zero).cameras
    }

    /// Looks for the cameras that are there now. Opens only nodes that are new or had a problem.
    ///
    /// - Parameters:
    ///   - known: The nodes known from the last look; brought up to date.
    ///   - patience: How long a new node is left out that cannot be used yet, because udevd or the driver is not done
    ///     with it.
    /// - Returns: The cameras, and when to look again if nothing is heard until then.
    package func look(
        _ known: inout KnownNodes, patience: Nanoseconds
    ) -> (cameras: [LocatedDevice], again: ClockTime?) {
        let now = MonotonicClock().now
        let present = nodes(knowing: known, now: now)
        known = KnownNodes()
        var cameras: [LocatedDevice] = []
        var again: ClockTime?
        for (name, node) in present {
            let deadline = node.isListed ? now : node.firstSeen + patience
            if now < deadline, isClosedForNow(node) {
                known.nodes[name] = node
                again = min(again ?? deadline, deadline)
                continue
            }
            let outcome = node.outcome ?? ask(node.camera)
            // It may have been unplugged while it was asked.
            guard tree.instance(of: node.folder) == node.instance else { continue }
            known.nodes[name] = node
            known.nodes[name]?.outcome = outcome.isFinal ? outcome : nil
            guard case .camera(let answers) = outcome else { continue }
            if now < deadline, let pause = pause(for: answers.problem, of: node) {
                again = min(again ?? deadline, deadline, now + pause)
                continue
            }
            known.nodes[name]?.isListed = true
            let device = Self.device(
                node.camera, answers, name: node.camera.name(among: present.map(\.node.camera)))
            cameras.append(
                LocatedDevice(device: device, usbDevice: node.camera.usbDevice, instance: node.instance))
        }
        return (cameras, again)
    }

    /// Whether a node cannot be opened because udevd has still to set its permissions. Does not open it.
    private func isClosedForNow(_ node: KnownNodes.Node) -> Bool {
        access(node.camera.node, R_OK | W_OK) != 0 && errno == EACCES && !isSettled(node.folder)
    }

    /// How long to wait before the next look at a new node whose problem may pass in a moment; `nil` for a lasting
    /// problem.
    private func pause(for problem: CaptureDevice.Problem?, of node: KnownNodes.Node) -> Nanoseconds? {
        switch problem {
        // A change of permissions is reported by the monitors.
        case .noPermission: isSettled(node.folder) ? nil : .seconds(1)
        // The driver shows a node a little before it can be opened (ENODEV until then), and no event says when it can.
        case .failing: .milliseconds(20)
        case .inUse, nil: nil
        }
    }

    /// The present nodes, ordered by number: known ones from `known`, new ones from sysfs.
    private func nodes(knowing known: KnownNodes, now: ClockTime) -> [(name: String, node: KnownNodes.Node)] {
        let udev = UdevProperties()
        let asksUdev = tree.root == "/sys"
        return tree.videoNodeNames().compactMap { name, instance in
            if let node = known.nodes[name], node.instance == instance { return (name, node) }
            guard let folder = tree.folder(ofVideoNode: name) else { return nil }
            let camera = SysfsCamera(folder: folder, in: tree, nodes: nodes) {
                asksUdev ? udev.value($0, of: folder) : nil
            }
            return (
                name, KnownNodes.Node(instance: instance, folder: folder, camera: camera, firstSeen: now)
            )
        }
    }

    /// Returns the USB device that a device in sysfs is a part of: the nearest folder with an `idVendor` file.
    ///
    /// - Parameter path: Path with or without `/sys` in front, as PulseAudio's `sysfs.path`.
    /// - Returns: A path that is equal for all parts of one device, such as the camera's and the sound card's; `nil`
    ///   for a device that is on no USB bus.
    package static func usbDevice(ofSysfsPath path: String) -> String? {
        SysfsTree().usbDevice(of: path)
    }

    private static func device(_ camera: SysfsCamera, _ answers: NodeAnswers, name: String) -> CaptureDevice {
        var device = CaptureDevice(
            mediaType: .video, deviceType: camera.isBuiltIn == true ? .builtIn : .external,
            isTypeKnown: camera.isBuiltIn != nil, position: answers.position, mounting: answers.mounting,
            identity: DeviceIdentity(
                busPath: camera.identity.busPath, product: camera.identity.product,
                serial: camera.identity.serial, name: name),
            name: name, manufacturer: camera.manufacturer, node: camera.node, selector: camera.selector,
            controller: camera.controller,
            busSpeed: camera.busSpeed, formats: answers.formats, controls: answers.controls,
            problem: answers.problem)
        device.isCaptureStick = CaptureStick.isOne(camera, hasSignalInput: answers.hasSignalInput)
        return device
    }
}
