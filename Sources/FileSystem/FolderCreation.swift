internal import Glibc
public import Media

/// Makes folders with those above them.
public enum FolderCreation {
    /// Makes a folder, and those above it that are missing; one that is there already stays as it is.
    ///
    /// - Parameters:
    ///   - path: Path of the folder.
    ///   - permissions: Permissions of those that are made, less the umask.
    /// - Throws: `FileError` "make the folder".
    public static func make(_ path: String, permissions: UInt32 = 0o777) throws(FileError) {
        var folder = path.utf8.first == UInt8(ascii: "/") ? "" : "."
        // The system reads bytes, not characters.
        for name in path.utf8.split(separator: UInt8(ascii: "/")) {
            folder += "/" + Substring(name)
            var status = stat()
            if stat(folder, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else {
                    throw FileError(path: path, operation: "make the folder", errno: ENOTDIR)
                }
            } else if mkdir(folder, permissions) != 0, errno != EEXIST {
                throw FileError(path: path, operation: "make the folder", errno: errno)
            }
        }
    }
}
