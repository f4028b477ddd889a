import Glibc
package import MulticamMedia

/// Lists the currently connected cameras.
package struct CameraCatalog: Sendable {
    private let tree: SysfsTree
    /// Directory of the device nodes, usually `/dev`.
    let nodes: String
    private let isSettled: @Sendable (String) -> Bool
    private let query: @Sendable (SysfsCamera) -> NodeProperties.Outcome

    /// Creates a catalog of the cameras in `/sys` and `/dev`. Queries udev if udevd is running.
    package init() {
        // If udevd is running, it sets the permissions of a new node after the node appears.
        self.init(
            sysfs: "/sys", nodes: "/dev",
            isSettled: { !UdevProperties.isDaemonRunning || UdevProperties().isSettled($0) })
    }

    /// Creates a catalog that reads other directories instead of `/sys` and `/dev`, for tests.
    ///
    /// - Parameters:
    ///   - sysfs: Mount point of sysfs. udev is queried only for `/sys`.
    ///   - nodes: Directory of the device nodes.
    package init(sysfs: String, nodes: String) {
        self.init(sysfs: sysfs, nodes: nodes, isSettled: { _ in true })
    }

    /// Creates a catalog that reads other directories and uses injected queries, for tests.
    ///
    /// - Parameters:
    ///   - sysfs: Mount point of sysfs. udev is queried only for `/sys`.
    ///   - nodes: Directory of the device nodes.
    ///   - isSettled: Returns whether udevd has set the permissions of the node that belongs to a sysfs directory.
    ///   - query: Opens a node and queries its properties.
    init(
        sysfs: String, nodes: String, isSettled: @escaping @Sendable (String) -> Bool,
        query: @escaping @Sendable (SysfsCamera) -> NodeProperties.Outcome = NodeProperties.query
    ) {
        tree = SysfsTree(root: sysfs)
        self.nodes = nodes
        self.isSettled = isSettled
        self.query = query
    }

    /// Returns all cameras with their formats and controls, ordered by node number. Unusable cameras are included with
    /// a description of their problem.
    ///
    /// Opens each node briefly, which takes milliseconds per camera. Must not be called from a Swift task.
    ///
    /// - Returns: The cameras.
    /// - Throws: Nothing; a node that can't be opened is returned as a camera with a problem.
    package func cameras() throws(DeviceError) -> [CaptureDevice] {
        locatedCameras().map(\.device)
    }

    /// Returns the cameras, each with its USB device. The USB device identifies the microphone that is built into a
    /// camera.
    package func locatedCameras() -> [LocatedDevice] {
        var known = KnownNodes()
        return scan(&known, settleTimeout: .zero).cameras
    }

    /// Scans for connected cameras. Opens only nodes that are new or had a problem.
    ///
    /// - Parameters:
    ///   - known: Nodes known from the previous scan; updated by this call.
    ///   - settleTimeout: Maximum time for which a new node is omitted while udevd or the driver is still setting it up.
    /// - Returns: The cameras, and the time of the next scan if no device event arrives earlier.
    package func scan(
        _ known: inout KnownNodes, settleTimeout: Nanoseconds
    ) -> (cameras: [LocatedDevice], again: ClockTime?) {
        let now = MonotonicClock().now
        let present = nodes(known: known, now: now)
        known = KnownNodes()
        var cameras: [LocatedDevice] = []
        var again: ClockTime?
        for (name, node) in present {
            let deadline = node.isListed ? now : node.firstSeen + settleTimeout
            if now < deadline, isAwaitingPermissions(node) {
                known.nodes[name] = node
                again = min(again ?? deadline, deadline)
                continue
            }
            let outcome = node.outcome ?? query(node.camera)
            // The camera may have been unplugged during the query.
            guard tree.instance(of: node.folder) == node.instance else { continue }
            known.nodes[name] = node
            known.nodes[name]?.outcome = outcome.isFinal ? outcome : nil
            guard case .camera(let answers) = outcome else { continue }
            if now < deadline, let pause = rescanDelay(for: answers.problem, of: node) {
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

    /// Whether a node can't be opened because udevd hasn't set its permissions yet. Doesn't open the node.
    private func isAwaitingPermissions(_ node: KnownNodes.Node) -> Bool {
        access(node.camera.node, R_OK | W_OK) != 0 && errno == EACCES && !isSettled(node.folder)
    }

    /// Returns the delay before the next scan of a new node with a possibly transient problem; `nil` for a permanent
    /// problem.
    private func rescanDelay(for problem: CaptureDevice.Problem?, of node: KnownNodes.Node) -> Nanoseconds? {
        switch problem {
        // After udevd has set the permissions, no rescan is needed, because the monitors report permission
        // changes.
        case .noPermission: isSettled(node.folder) ? nil : .seconds(1)
        // A new node appears shortly before it can be opened (ENODEV until then), and the driver sends no event when it
        // is ready.
        case .failing: .milliseconds(20)
        case .inUse, nil: nil
        }
    }

    /// Returns the nodes that currently exist, ordered by number. Nodes from the previous scan are taken from
    /// `known`; new nodes are read from sysfs.
    private func nodes(known: KnownNodes, now: ClockTime) -> [(name: String, node: KnownNodes.Node)] {
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

    /// Returns the USB device that contains a sysfs device: the nearest parent directory with an `idVendor` file.
    ///
    /// - Parameter path: Path in sysfs, with or without the `/sys` prefix. PulseAudio's `sysfs.path` doesn't
    ///   have the prefix.
    /// - Returns: A path that is the same for all parts of one device, such as a camera and its sound card;
    ///   `nil` for a device that isn't on a USB bus.
    package static func usbDevice(ofSysfsPath path: String) -> String? {
        SysfsTree().usbDevice(of: path)
    }

    private static func device(_ camera: SysfsCamera, _ answers: NodeProperties, name: String)
        -> CaptureDevice
    {
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
        device.isCaptureStick = CaptureStick.isCaptureStick(camera, hasSignalInput: answers.hasSignalInput)
        return device
    }
}

/// Properties read from a camera's node.
struct NodeProperties: Sendable {
    var formats: [OfferedFormat] = []
    var controls: [DeviceControl] = []
    var position = CaptureDevice.Position.unspecified
    var mounting = Rotation.none
    /// Whether the input receives an external video signal, with DV timings or a television standard.
    var hasSignalInput = false
    var problem: CaptureDevice.Problem?

    /// Result of opening a node.
    enum Outcome: Sendable {
        case camera(NodeProperties)
        /// The node is a metadata or output node, which never becomes a camera.
        case noCamera
        /// The node can't be opened, and it isn't the first node of its function. Only the first node of a function
        /// captures video.
        case unclear

        /// Whether the result stays valid until the node is removed.
        var isFinal: Bool {
            switch self {
            case .camera(let answers): answers.problem == nil
            case .noCamera: true
            case .unclear: false
            }
        }
    }

    /// Returns an explanation of why none of a camera's formats can be read, with advice.
    static func unreadable(_ codes: [FourCC]) -> String {
        guard !codes.isEmpty else {
            return "this camera offers no video formats. Plug it in again, or choose another camera."
        }
        let list = codes.map { $0.text.printable() }.joined(separator: ", ")
        // Depth formats, including packed depth and depth with infrared: V4L2_PIX_FMT_Z16, _INZI and _CNF4 (kernel
        // documentation, depth formats).
        if codes.contains(where: { ["Z16", "INZI", "CNF4"].contains($0.text) }) {
            return
                "this is a depth camera (\(list)), and depth data cannot be recorded. Choose another camera."
        }
        return "this camera offers only unsupported formats (\(list)). Choose another camera."
    }

    /// Opens the node briefly and queries its properties. Takes milliseconds.
    static func query(_ camera: SysfsCamera) -> Outcome {
        do {
            let node = try V4L2Device(path: camera.node)
            guard try node.capability().isCamera else { return .noCamera }
            var answers = NodeProperties(
                formats: node.formats(), controls: node.controls(), position: node.position(),
                mounting: node.mounting() ?? .none, hasSignalInput: node.hasSignalInput())
            if node.isInUse() {
                answers.problem = .inUse(by: NodeOwners.holder(of: camera.node)?.program)
            } else if answers.formats.isEmpty {
                answers.problem = .failing(Self.unreadable(node.pixelCodes()))
            }
            return .camera(answers)
        } catch {
            // The purpose of a node that can't be opened is unknown.
            guard camera.index == 0 else { return .unclear }
            switch error.reason {
            case .noPermission:
                let group = NodePermissions(of: camera.node)?.groupName
                return .camera(NodeProperties(problem: .noPermission(group: group ?? "video")))
            case .busy(let holder): return .camera(NodeProperties(problem: .inUse(by: holder?.program)))
            default: return .camera(NodeProperties(problem: .failing(error.description)))
            }
        }
    }
}

/// Video nodes known from the previous scan. Each node is opened and queried only once.
package struct KnownNodes: Sendable {
    struct Node: Sendable {
        /// Instance number from `SysfsTree.instance(of:)`. A different device at the same path has a
        /// different number.
        let instance: UInt64
        let folder: String
        let camera: SysfsCamera
        let firstSeen: ClockTime
        /// Result of opening the node; `nil` if the node must be queried, either for the first time or again after a
        /// possibly transient problem.
        var outcome: NodeProperties.Outcome?
        /// Whether the camera has been added to the list of cameras. A listed camera stays in the list even
        /// if it has problems later.
        var isListed = false
    }

    /// Nodes by their names in `class/video4linux`.
    var nodes: [String: Node] = [:]

    /// Creates an empty set of known nodes.
    package init() {}
}

/// Distinguishes capture sticks, which deliver the video signal of another device, from cameras.
enum CaptureStick {
    /// UVC terminal type of a camera sensor: ITT_CAMERA (UVC 1.5, table B-2).
    private static let cameraTerminal: UInt16 = 0x0201
    /// USB product IDs of HDMI sticks that identify themselves as cameras in their descriptors, from the USB ID list:
    /// MacroSilicon MS2109, MS2130, and the MS2130 sold by UltraSemi.
    private static let products: Set<String> = ["534d:2109", "534d:2130", "345f:2130"]
    /// Words in the names of other capture sticks, in lowercase.
    private static let words = ["hdmi", "capture", "grabber", "cam link", "game link", "live gamer"]

    /// Returns whether a device is a capture stick.
    ///
    /// - Parameters:
    ///   - camera: The camera as described by sysfs.
    ///   - hasSignalInput: Whether the driver reports a signal input, with DV timings or a television standard.
    /// - Returns: Whether the device captures the video signal of another device.
    static func isCaptureStick(_ camera: SysfsCamera, hasSignalInput: Bool) -> Bool {
        if hasSignalInput || products.contains(camera.identity.product) { return true }
        if !camera.inputTerminals.isEmpty, !camera.inputTerminals.contains(cameraTerminal) { return true }
        let names = [camera.identity.name, camera.driversName].map { $0.lowercased() }
        return words.contains { word in names.contains { $0.contains(word) } }
    }
}
