public import Media

/// The cameras that the computer has now.
public struct CameraCatalog: Sendable {
    private let tree: SysfsTree
    /// Where device nodes are.
    let nodes: String
    private let isSettled: @Sendable (String) -> Bool
    private let ask: @Sendable (SysfsCamera) -> NodeAnswers.Outcome

    public init() {
        // udevd, where it runs, has a new node's permissions still to set.
        self.init(
            sysfs: "/sys", nodes: "/dev",
            isSettled: { !UdevProperties.isServed || UdevProperties().isSettled($0) })
    }

    /// - Parameters:
    ///   - sysfs: Where sysfs is mounted. udev is asked only about the real one.
    ///   - nodes: Where device nodes are.
    package init(sysfs: String, nodes: String) {
        self.init(sysfs: sysfs, nodes: nodes, isSettled: { _ in true })
    }

    /// - Parameters:
    ///   - sysfs: As above.
    ///   - nodes: As above.
    ///   - isSettled: Whether the node of a folder in sysfs has got its permissions.
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

    /// Every camera with its formats and controls, by the number of its node. One that cannot be used is there too, with
    /// its problem.
    ///
    /// Opens each node for a moment; takes milliseconds a camera. Not in a Swift task.
    public func cameras() throws(DeviceError) -> [CaptureDevice] {
        locatedCameras().map(\.device)
    }

    /// The cameras with the USB device that each is a part of, to find the microphones in them.
    package func locatedCameras() -> [LocatedDevice] {
        var known = KnownNodes()
        return look(&known, patience: .zero).cameras
    }

    /// The cameras that are there now. Opens only what is new or had a problem.
    ///
    /// - Parameters:
    ///   - known: From the last look; brought up to date.
    ///   - patience: How long a new node may have no permission before that is told: udevd has still to set it.
    /// - Returns: The cameras, and when to look again if nothing is heard until then.
    package func look(
        _ known: inout KnownNodes, patience: Nanoseconds
    ) -> (cameras: [LocatedDevice], again: ClockTime?) {
        let now = MonotonicClock().now
        let earlier = known
        known = KnownNodes()
        let present = nodesInSysfs()
        var cameras: [LocatedDevice] = []
        var again: ClockTime?
        for (folder, instance, camera) in present {
            var node = earlier.node(folder, instance: instance, now: now)
            let outcome = node.outcome ?? ask(camera)
            // It may have been unplugged while it was asked.
            guard tree.instance(of: folder) == instance else { continue }
            node.outcome = outcome.isFinal ? outcome : nil
            known.nodes[folder] = node
            guard case .camera(let answers) = outcome else { continue }
            let deadline = node.firstSeen + patience
            if case .noPermission = answers.problem, now < deadline, !isSettled(folder) {
                again = min(again ?? deadline, deadline)
                continue
            }
            let name = camera.name(among: present.map(\.camera))
            cameras.append(
                LocatedDevice(
                    device: Self.device(camera, answers, name: name), usbDevice: camera.usbDevice,
                    instance: instance))
        }
        return (cameras, again)
    }

    private func nodesInSysfs() -> [(folder: String, instance: UInt64, camera: SysfsCamera)] {
        let udev = UdevProperties()
        let asksUdev = tree.root == "/sys"
        return tree.videoNodes().compactMap { folder in
            guard let instance = tree.instance(of: folder) else { return nil }
            let camera = SysfsCamera(folder: folder, in: tree, nodes: nodes) {
                asksUdev ? udev.value($0, of: folder) : nil
            }
            return (folder, instance, camera)
        }
    }

    /// The USB device that a device in sysfs is a part of: the nearest folder with an `idVendor` file.
    ///
    /// - Parameter path: With or without `/sys` in front, as PulseAudio's `sysfs.path`.
    /// - Returns: A path that is equal for all parts of one device: the camera's and the sound card's. `nil`
    ///   for what is on no USB.
    package static func usbDevice(ofSysfsPath path: String) -> String? {
        SysfsTree().usbDevice(of: path)
    }

    private static func device(_ camera: SysfsCamera, _ answers: NodeAnswers, name: String) -> CaptureDevice {
        CaptureDevice(
            mediaType: .video, deviceType: camera.isBuiltIn == true ? .builtIn : .external,
            isTypeKnown: camera.isBuiltIn != nil, position: answers.position, mounting: answers.mounting,
            identity: DeviceIdentity(
                busPath: camera.identity.busPath, product: camera.identity.product,
                serial: camera.identity.serial, name: name),
            name: name, node: camera.node, selector: camera.selector, controller: camera.controller,
            busSpeed: camera.busSpeed, formats: answers.formats, controls: answers.controls,
            problem: answers.problem)
    }
}
