internal import Foundation
internal import Glibc
internal import Media

/// Where the sockets of a user's running sessions are: `multicam` in the runtime directory, one for each process.
///
/// Without `XDG_RUNTIME_DIR` it is a folder in `/tmp` that nobody else may enter.
struct ControlFolder {
    let path: String

    init(environment: [String: String]) {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            path = "\(runtime)/multicam"
        } else {
            path = "/tmp/multicam-\(getuid())"
        }
    }

    /// Makes it, for this user alone.
    ///
    /// - Throws: When it cannot be made, or is somebody else's.
    func make() throws(ControlError) {
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

    func socketPath(of process: Int32) -> String { "\(path)/\(process).sock" }

    /// The processes that have a socket here, whether they still run or not.
    func processes() -> [Int32] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = Glibc.readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".sock"), let process = Int32(name.dropLast(5)) { found.append(process) }
        }
        return found.sorted()
    }
}
