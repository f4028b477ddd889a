import Capture
import Glibc
import Host

/// A folder that files shall go to, and the file system that it is or will be on.
struct FolderFacts: Sendable {
    let path: String
    /// The folder itself or, where it does not exist yet, the nearest above that does; without links.
    let existing: String
    /// Whether this user may make files there, or folders to it.
    let isWritable: Bool
    /// For this user; `nil` where the file system does not say.
    let freeBytes: Int64?

    init(path: String, existing: String, isWritable: Bool, freeBytes: Int64?) {
        self.path = path
        self.existing = existing
        self.isWritable = isWritable
        self.freeBytes = freeBytes
    }

    /// - Parameter path: Absolute, or from the current folder.
    init(of path: String) {
        let here = Paths.resolved(".") ?? "/"
        self.path = path == "." ? here : path.hasPrefix("/") ? path : "\(here)/\(path)"
        var nearest = self.path
        while nearest != "/", !Paths.exists(nearest) { nearest = Paths.parent(nearest) }
        existing = Paths.resolved(nearest) ?? nearest
        isWritable = access(existing, W_OK | X_OK) == 0
        freeBytes = DiskSpaceReader.freeBytes(existing)
    }
}
