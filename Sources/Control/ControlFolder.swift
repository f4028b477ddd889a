internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media

/// The folder with the sockets of a user's running sessions, one for each process: `multicam` in the runtime directory.
///
/// Without `XDG_RUNTIME_DIR` it is a folder in `/tmp` that only this user may enter.
package struct ControlFolder: Sendable {
    let path: String

    package init(environment: [String: String]) {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            path = "\(runtime)/multicam"
        } else {
            path = "/tmp/multicam-\(getuid())"
        }
    }

    /// Creates the folder for this user alone.
    ///
    /// - Throws: `ControlError.system` when it cannot be created, or others may enter it.
    package func make() throws(ControlError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw LocalSocket.failure("the folder for control, \(path.printable()), cannot be made")
        }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw LocalSocket.failure("the folder for control, \(path.printable()), cannot be looked at")
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else {
            throw .system(
                "\(path.printable()) is not a folder of this user's alone, so the session is not controlled through it. Remove it, or set XDG_RUNTIME_DIR."
            )
        }
    }

    /// The folder with a file for each group of computers that this one is in: what it hears of the group's nodes.
    package var groups: String { "\(path)/groups" }

    package func socketPath(of process: Int32) -> String { "\(path)/\(process).sock" }

    /// The path of a process's media socket.
    package func mediaPath(of process: Int32) -> String { socketPath(of: process) + ".media" }

    /// The path of a symbolic link to the session folder that a process records into.
    private func recordingPath(of process: Int32) -> String { "\(path)/\(process).recording" }

    /// Stores which folder a process records into.
    ///
    /// - Parameters:
    ///   - sessionFolder: The session folder; `nil` when nothing is recorded.
    ///   - process: The identifier of the process.
    /// - Throws: `ControlError.system` when it cannot be stored.
    func note(recordingIn sessionFolder: String?, by process: Int32) throws(ControlError) {
        let link = recordingPath(of: process)
        unlink(link)
        guard let sessionFolder else { return }
        let whole = URL(fileURLWithPath: sessionFolder).standardizedFileURL.path
        guard symlink(whole, link) == 0 else {
            throw LocalSocket.failure("\(link.printable()), which names the recording, cannot be made")
        }
    }

    /// The session folder that a process records into, or recorded into when it crashed; `nil` when there is none.
    func recording(of process: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            guard let place = bytes.baseAddress else { return -1 }
            return readlink(recordingPath(of: process), place, bytes.count)
        }
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Removes the control socket and the recording's link of a process. The media socket is its server's own.
    func forget(_ process: Int32) {
        unlink(socketPath(of: process))
        unlink(recordingPath(of: process))
    }

    /// The processes that have a socket here, in ascending order, whether they still run or not.
    package func processes() -> [Int32] {
        FolderListing.names(in: path).compactMap { name in
            name.hasSuffix(".sock") ? Int32(name.dropLast(5)) : nil
        }.sorted()
    }
}
