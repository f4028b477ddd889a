internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// The folder that contains the control sockets of a user's running sessions, one per process. The folder is
/// named `multicam` and is in the user's runtime directory.
///
/// If `XDG_RUNTIME_DIR` isn't set, the folder is in `/tmp`, and only this user can access it.
package struct ControlFolder: Sendable {
    let path: String

    package init(environment: [String: String]) {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            path = "\(runtime)/multicam"
        } else {
            path = "/tmp/multicam-\(getuid())"
        }
    }

    /// Creates the folder, which only this user can access.
    ///
    /// - Throws: `ControlError.system` if the folder can't be created, or if other users can access it.
    package func make() throws(ControlError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw LocalSocket.systemError("the control folder \(path.printable()) cannot be created")
        }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw LocalSocket.systemError("the control folder \(path.printable()) cannot be read")
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else {
            throw .system(
                "the control folder \(path.printable()) is accessible to other users, so the session cannot be controlled. Delete the folder, or set XDG_RUNTIME_DIR to another folder."
            )
        }
    }

    /// The folder with one file for each group that this computer belongs to. Each of these files contains
    /// the last received states of a group's nodes.
    package var groups: String { "\(path)/groups" }

    package func socketPath(of process: Int32) -> String { "\(path)/\(process).sock" }

    /// The path of a process's media socket.
    package func mediaPath(of process: Int32) -> String { socketPath(of: process) + ".media" }

    /// Path of a symbolic link to the session folder of a process.
    private func recordingPath(of process: Int32) -> String { "\(path)/\(process).recording" }

    /// Stores the path of a recording process's session folder.
    ///
    /// - Parameters:
    ///   - sessionFolder: The session folder; `nil` if no recording is in progress.
    ///   - process: Process ID of the recorder.
    /// - Throws: `ControlError.system` if the path can't be stored.
    func setRecordingFolder(_ sessionFolder: String?, of process: Int32) throws(ControlError) {
        let link = recordingPath(of: process)
        unlink(link)
        guard let sessionFolder else { return }
        let whole = URL(fileURLWithPath: sessionFolder).standardizedFileURL.path
        guard symlink(whole, link) == 0 else {
            throw LocalSocket.systemError(
                "the symbolic link \(link.printable()) to the recording cannot be created")
        }
    }

    /// Returns the session folder that a process is recording to, or was recording to when it crashed.
    /// Returns `nil` if such a folder doesn't exist.
    func recording(of process: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            guard let place = bytes.baseAddress else { return -1 }
            return readlink(recordingPath(of: process), place, bytes.count)
        }
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Removes the control socket and the recording link of a process. The media socket is removed by the
    /// server that created it.
    func removeFiles(of process: Int32) {
        unlink(socketPath(of: process))
        unlink(recordingPath(of: process))
    }

    /// Returns the IDs of all processes that have a socket in this folder, in ascending order. Some of these
    /// processes may already have ended.
    package func processes() -> [Int32] {
        FolderListing.names(in: path).compactMap { name in
            name.hasSuffix(".sock") ? Int32(name.dropLast(5)) : nil
        }.sorted()
    }
}
