public import Media

/// The cameras that the computer has now.
public struct CameraCatalog: Sendable {
    private let tree: SysfsTree
    private let nodes: String

    public init() {
        self.init(sysfs: "/sys", nodes: "/dev")
    }

    /// - Parameters:
    ///   - sysfs: Where sysfs is mounted. udev is asked only about the real one.
    ///   - nodes: Where device nodes are.
    package init(sysfs: String, nodes: String) {
        tree = SysfsTree(root: sysfs)
        self.nodes = nodes
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
        let udev = UdevProperties()
        let asksUdev = tree.root == "/sys"
        let found = tree.videoNodes().map { folder in
            SysfsCamera(folder: folder, in: tree, nodes: nodes) {
                asksUdev ? udev.value($0, of: folder) : nil
            }
        }
        var located: [LocatedDevice] = []
        for camera in found {
            guard let answers = Self.ask(camera) else { continue }
            located.append(
                LocatedDevice(
                    device: Self.device(camera, answers, name: camera.name(among: found)),
                    usbDevice: camera.usbDevice))
        }
        return located
    }

    /// The USB device that a device in sysfs is a part of: the nearest folder with an `idVendor` file.
    ///
    /// - Parameter path: With or without `/sys` in front, as PulseAudio's `sysfs.path`.
    /// - Returns: A path that is equal for all parts of one device: the camera's and the sound card's. `nil`
    ///   for what is on no USB.
    package static func usbDevice(ofSysfsPath path: String) -> String? {
        SysfsTree().usbDevice(of: path)
    }

    /// What the node itself says.
    private struct Answers {
        var formats: [OfferedFormat] = []
        var controls: [DeviceControl] = []
        var position = CaptureDevice.Position.unspecified
        var problem: CaptureDevice.Problem?
    }

    /// - Returns: `nil` for a node that is no camera.
    private static func ask(_ camera: SysfsCamera) -> Answers? {
        do {
            let node = try V4L2Device(path: camera.node)
            guard try node.capability().isCamera else { return nil }
            var answers = Answers(
                formats: node.formats(), controls: node.controls(), position: node.position())
            if node.isInUse() {
                answers.problem = .inUse(by: NodeOwners.holder(of: camera.node)?.program)
            } else if answers.formats.isEmpty {
                answers.problem = .failing("it offers no format that can be read")
            }
            return answers
        } catch {
            // What a node is for can only be guessed when it does not open: the first of a function captures.
            guard camera.index == 0 else { return nil }
            switch error.reason {
            case .noPermission:
                let group = NodePermissions(of: camera.node)?.groupName
                return Answers(problem: .noPermission(group: group ?? "video"))
            case .busy(let holder): return Answers(problem: .inUse(by: holder?.program))
            default: return Answers(problem: .failing(error.description))
            }
        }
    }

    private static func device(_ camera: SysfsCamera, _ answers: Answers, name: String) -> CaptureDevice {
        CaptureDevice(
            mediaType: .video, deviceType: camera.isBuiltIn ? .builtIn : .external,
            position: answers.position,
            identity: DeviceIdentity(
                busPath: camera.identity.busPath, product: camera.identity.product,
                serial: camera.identity.serial,
                name: name),
            name: name, node: camera.node, selector: camera.selector, controller: camera.controller,
            busSpeed: camera.busSpeed, formats: answers.formats, controls: answers.controls,
            problem: answers.problem)
    }
}
