package import Media

/// Lists the cameras that sysfs shows, without opening any: cameras that stream are not disturbed.
package struct PresentCameras: Sendable {
    private let tree: SysfsTree
    private let nodes: String

    /// Looks in sysfs.
    ///
    /// - Parameters:
    ///   - tree: Where sysfs is. udev is asked only about `/sys`.
    ///   - nodes: Folder of the device nodes.
    package init(tree: SysfsTree = SysfsTree(), nodes: String = "/dev") {
        self.tree = tree
        self.nodes = nodes
    }

    /// Returns one camera for each node that captures, without formats, controls and problems, which only the opened
    /// node tells.
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
