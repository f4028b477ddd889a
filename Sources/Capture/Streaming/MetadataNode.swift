/// Finds the metadata node that accompanies a camera's node.
enum MetadataNode {
    /// Finds the node whose index follows that of the camera's among the nodes of the same function: uvcvideo makes the
    /// two right after each other for each stream. Whether it delivers metadata shows only when it is opened.
    ///
    /// - Parameters:
    ///   - camera: The camera's node, such as `/dev/video0`, or a link to it.
    ///   - tree: The sysfs that knows the node.
    /// - Returns: Path of the metadata node in the camera's folder; `nil` where there is none.
    static func path(of camera: String, in tree: SysfsTree = SysfsTree()) -> String? {
        let node = Paths.resolved(camera) ?? camera
        guard let folder = tree.folder(ofVideoNode: Paths.name(node)), let own = index(of: folder, in: tree)
        else { return nil }
        let function = Paths.parent(folder)
        for name in Paths.entries(of: function) {
            let other = "\(function)/\(name)"
            guard index(of: other, in: tree) == own + 1 else { continue }
            return "\(Paths.parent(node))/\(tree.event("DEVNAME", of: other) ?? name)"
        }
        return nil
    }

    private static func index(of folder: String, in tree: SysfsTree) -> Int? {
        tree.attribute("index", of: folder).flatMap { Int($0) }
    }
}
