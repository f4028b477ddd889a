import Capture
import Containers
import Glibc
import Host

/// A folder that files will go to, and the file system that it is or will be on.
struct FolderFacts: Sendable {
    let path: String
    /// The folder itself, or its nearest existing parent; without symbolic links.
    let existing: String
    /// Whether this user may create files in the folder, or create the folder.
    let isWritable: Bool
    /// Bytes free for this user; `nil` when the file system does not say.
    let freeBytes: Int64?
    /// Whether the file system takes writes past the page cache, and says so.
    let takesDirectWrites: Bool

    init(
        path: String, existing: String, isWritable: Bool, freeBytes: Int64?, takesDirectWrites: Bool = true
    ) {
        self.path = path
        self.existing = existing
        self.isWritable = isWritable
        self.freeBytes = freeBytes
        self.takesDirectWrites = takesDirectWrites
    }

    /// Reads the facts of a folder.
    ///
    /// - Parameter path: An absolute path, or one relative to the current folder.
    init(of path: String) {
        let here = Paths.resolved(".") ?? "/"
        self.path = path == "." ? here : path.hasPrefix("/") ? path : "\(here)/\(path)"
        var nearest = self.path
        while nearest != "/", !Paths.exists(nearest) { nearest = Paths.parent(nearest) }
        existing = Paths.resolved(nearest) ?? nearest
        isWritable = access(existing, W_OK | X_OK) == 0
        freeBytes = DiskSpaceReader.freeBytes(existing)
        takesDirectWrites = isWritable && DirectFile.isPossible(in: existing)
    }
}
