/// Finds the node that gives what accompanies the frames of another.
enum MetadataNode {
    /// The node whose index follows that of the camera's among the nodes of the same function: uvcvideo makes the one
    /// right after the other for each stream. Whether it gives metadata only it can tell itself.
    ///
    /// - Parameters:
    ///   - camera: `/dev/video0`, or a link to it.
    ///   - tree: The sysfs that knows it.
    /// - Returns: Beside the camera's node; `nil` where there is none.
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
