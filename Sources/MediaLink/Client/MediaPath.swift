internal import Control
internal import FoundationEssentials
internal import Media

/// Finds the media socket of a running session of this user.
enum MediaPath {
    /// Connects to a session's media socket.
    ///
    /// - Parameters:
    ///   - process: The process identifier of the session; `nil` when only one runs.
    ///   - path: Path of the socket itself; `nil` to find it.
    /// - Returns: The connection.
    /// - Throws: `ControlError.nobody` when no session runs there, `.usage` when several do, `.system` for what the system refuses.
    static func connect(process: Int32?, path: String?) throws(ControlError) -> MediaConnection {
        let folder = ControlFolder(environment: ProcessInfo.processInfo.environment)
        if let path { return try connect(path, "no session has the media socket \(path.printable()).") }
        if let process {
            return try connect(
                folder.mediaPath(of: process), "process \(process) runs no session of this user's.")
        }
        var found: [(process: Int32, connection: MediaConnection)] = []
        for process in folder.processes() {
            let socket = try LocalSocket()
            if try socket.connects(to: folder.mediaPath(of: process)) {
                found.append((process, MediaConnection(socket)))
            }
        }
        guard let only = found.first else {
            throw .nobody("no session of this user's runs: start `multicam record`.")
        }
        guard found.count == 1 else {
            let processes = found.map { String($0.process) }.joined(separator: ", ")
            throw .usage("\(found.count) sessions run, as processes \(processes): say which one is meant.")
        }
        return only.connection
    }

    private static func connect(_ path: String, _ refusal: String) throws(ControlError) -> MediaConnection {
        let socket = try LocalSocket()
        guard try socket.connects(to: path) else { throw .nobody(refusal) }
        return MediaConnection(socket)
    }
}
