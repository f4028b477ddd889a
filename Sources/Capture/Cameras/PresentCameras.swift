package import Media

/// The cameras that sysfs shows, without a question to any of them: those that stream are not disturbed.
package struct PresentCameras: Sendable {
    private let tree: SysfsTree
    private let nodes: String

    /// - Parameters:
    ///   - tree: Where sysfs is. udev is asked only about the real one.
    ///   - nodes: Where device nodes are.
    package init(tree: SysfsTree = SysfsTree(), nodes: String = "/dev") {
        self.tree = tree
        self.nodes = nodes
    }

    /// One for each node that captures, without formats, controls and problems, which only the node itself tells.
    package func devices() -> [CaptureDevice] {
        let udev = UdevProperties()
        let asksUdev = tree.root == "/sys"
        let found = tree.videoNodes().map { folder in
            SysfsCamera(folder: folder, in: tree, nodes: nodes) {
                asksUdev ? udev.value($0, of: folder) : nil
            }
        }
        return found.filter(\.mayCapture).map { camera in
            let name = camera.name(among: found)
            return CaptureDevice(
                mediaType: .video, deviceType: camera.isBuiltIn == true ? .builtIn : .external,
                isTypeKnown: camera.isBuiltIn != nil,
                identity: DeviceIdentity(
                    busPath: camera.identity.busPath, product: camera.identity.product,
                    serial: camera.identity.serial, name: name),
                name: name, node: camera.node, selector: camera.selector, controller: camera.controller,
                busSpeed: camera.busSpeed)
        }
    }
}
