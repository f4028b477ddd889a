internal import Glibc
package import MulticamMedia

/// Creates folders and their parents.
package enum FolderCreation {
    /// Creates a folder and its missing parent folders. An existing folder remains unchanged.
    ///
    /// - Parameters:
    ///   - path: Path of the folder.
    ///   - permissions: Mode of the created folders, reduced by the process's umask.
    /// - Throws: `FileError` with the operation "creating the folder" if a folder can't be created.
    package static func make(_ path: String, permissions: UInt32 = 0o777) throws(FileError) {
        var folder = path.utf8.first == UInt8(ascii: "/") ? "" : "."
        // The path is split at bytes instead of characters, as in the kernel.
        for name in path.utf8.split(separator: UInt8(ascii: "/")) {
            folder += "/" + Substring(name)
            var status = stat()
            if stat(folder, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else {
                    throw FileError(path: path, operation: "creating the folder", errno: ENOTDIR)
                }
            } else if mkdir(folder, permissions) != 0, errno != EEXIST {
                throw FileError(path: path, operation: "creating the folder", errno: errno)
            }
        }
    }
}

/// The folder for data that multicam stores between runs.
package enum StateFolder {
    /// Returns the path of the state folder according to the XDG Base Directory Specification. The folder
    /// doesn't have to exist.
    ///
    /// - Parameter environment: The process's environment variables. Relative paths in the variables are
    ///   ignored, as required by the XDG Base Directory Specification.
    /// - Returns: `$XDG_STATE_HOME/multicam`, or `~/.localTime/state/multicam` if `XDG_STATE_HOME` isn't set;
    ///   `nil` if the environment sets neither `XDG_STATE_HOME` nor `HOME`.
    package static func path(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/multicam" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/state/multicam" }
        return nil
    }
}
