internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder

/// Sends commands to a running session of this user and receives the replies.
package struct ControlClient: Sendable {
    private let folder: ControlFolder
    /// Maximum wait for a reply. A session replies after it has executed the command, which can take a while
    /// if files must be closed.
    private static let replyTimeout = Nanoseconds.seconds(30)
    /// Maximum wait for the reply to `status` when listing sessions.
    private static let listingTimeout = Nanoseconds.seconds(2)

    /// Creates a client that finds sessions in this user's runtime directory.
    package init() { self.init(ControlFolder(environment: ProcessInfo.processInfo.environment)) }

    init(_ folder: ControlFolder) { self.folder = folder }

    /// Sends a command and waits up to 30 s for the reply. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - request: The command.
    ///   - process: The process ID of the session. `nil` selects the only running session.
    /// - Returns: The session's reply.
    /// - Throws: `ControlError.usage` if the command is too long or several sessions are running.
    ///   `ControlError.notRunning` if no session is running. `ControlError.system` if the session doesn't reply.
    package func send(_ request: CommandRequest, process: Int32? = nil) throws(ControlError) -> ControlReply {
        guard request.line.count <= LocalSocket.longestRequest else { throw Self.tooLong }
        return try Self.send(request, over: try connectedSocket(to: process))
    }

    private static let tooLong = ControlError.usage(
        "the command is longer than \(LocalSocket.longestRequest) bytes. Shorten it.")

    /// Sends a command over a socket that is connected to a session, and waits up to 30 s for the reply.
    /// Blocks the calling thread.
    ///
    /// - Throws: The same `ControlError` cases as `send(_:process:)`.
    package static func send(
        _ request: CommandRequest, over socket: LocalSocket
    ) throws(ControlError) -> ControlReply {
        let line = request.line
        guard line.count <= LocalSocket.longestRequest else { throw tooLong }
        guard let reply = try exchange(line, over: socket, timeout: replyTimeout) else {
            throw .system(
                "the session did not respond. It may have ended, or it may be blocked. To check its state, run `multicam ctl status`."
            )
        }
        return reply
    }

    /// Returns the activity of a process of this user, such as `is recording profile “pip” into …`. Returns
    /// `nil` if the process isn't a recorder. Blocks the calling thread for a few seconds at most.
    package func activity(of process: Int32) -> String? {
        do throws(ControlError) {
            guard let socket = try connection(to: process) else { return nil }
            return recorder(process, socket).activity
        } catch {
            // The process doesn't reply to queries.
            return nil
        }
    }

    /// Returns the status of a session. Returns `nil` if no process with this ID replies. Blocks the calling
    /// thread for a few seconds at most.
    package func status(of process: Int32) -> ControlStatus? {
        do throws(ControlError) {
            guard let socket = try connection(to: process) else { return nil }
            return recorder(process, socket).status
        } catch {
            // The process doesn't reply to queries.
            return nil
        }
    }

    /// Returns the folder of the recording that a process left unfinished when it ended. Returns `nil` if
    /// there is no unfinished recording.
    package func unfinishedRecording(of process: Int32) -> String? {
        guard let path = folder.recording(of: process), RunningRecorder.isUnfinished(path) else { return nil }
        return path.printable(limit: 1000)
    }

    /// Returns the process IDs of all running sessions of this user. Blocks the calling thread for a few
    /// seconds at most.
    ///
    /// - Throws: `ControlError.system` if no socket can be created.
    package func processes() throws(ControlError) -> [Int32] { try runningSessions().map(\.process) }

    /// Sends a request and waits for the reply.
    ///
    /// - Returns: The reply; `nil` if no reply arrived in time.
    private static func exchange(
        _ request: Data, over socket: LocalSocket, timeout: Nanoseconds
    ) throws(ControlError) -> ControlReply? {
        socket.setTimeout(timeout)
        guard socket.write(line: request), let line = socket.readLine() else { return nil }
        do {
            return try JSONText.decoder().decode(ControlReply.self, from: line)
        } catch {
            throw .system(
                "invalid response. The session is running a different version of multicam.")
        }
    }

    // MARK: Running recorders

    private func connectedSocket(to process: Int32?) throws(ControlError) -> LocalSocket {
        if let process {
            if let socket = try connection(to: process) { return socket }
            let others = sessionList(try runningSessions())
            throw .notRunning(
                "process \(process) does not belong to a session of this user. \(crashes([process]).first ?? others)"
            )
        }
        let running = try runningSessions()
        guard let only = running.first else {
            let crashes = crashes(folder.processes())
            throw .notRunning(
                crashes.isEmpty
                    ? "no session of this user is running. Start `multicam record`, then run `multicam ctl` in another terminal."
                    : "no session of this user is running. \(crashes.joined(separator: " "))")
        }
        guard running.count == 1 else {
            throw .usage(
                "\(sessionList(running)) Choose one, for example `multicam ctl --process \(only.process) status`."
            )
        }
        return only.socket
    }

    private func connection(to process: Int32) throws(ControlError) -> LocalSocket? {
        let socket = try LocalSocket()
        // If a recorder is unresponsive, its queue of pending connections may be full, and connecting to it
        // may block.
        socket.setTimeout(Self.listingTimeout)
        return try socket.tryConnect(to: folder.socketPath(of: process)) ? socket : nil
    }

    private func runningSessions() throws(ControlError) -> [(process: Int32, socket: LocalSocket)] {
        var found: [(Int32, LocalSocket)] = []
        for process in folder.processes() {
            if let socket = try connection(to: process) { found.append((process, socket)) }
        }
        return found
    }

    /// Queries the activity of a recorder. The socket can't be reused afterwards.
    private func recorder(_ process: Int32, _ socket: LocalSocket) -> RunningRecorder {
        let reply: ControlReply?
        do throws(ControlError) {
            reply = try Self.exchange(
                CommandRequest.status.line, over: socket, timeout: Self.listingTimeout)
        } catch {
            reply = nil
        }
        return RunningRecorder(
            process: process, status: reply?.status, folder: folder.recording(of: process))
    }

    private func sessionList(_ running: [(process: Int32, socket: LocalSocket)]) -> String {
        guard !running.isEmpty else { return "No session is running." }
        let list = running.map { process, socket in
            "process \(process) \(recorder(process, socket).activity)"
        }
        return (running.count == 1 ? "One session is running: " : "\(running.count) sessions are running: ")
            + "\(list.joined(separator: "; "))."
    }

    /// Returns a sentence for the user about each recording that these processes left unfinished.
    private func crashes(_ processes: [Int32]) -> [String] {
        processes.compactMap { process in
            guard let path = folder.recording(of: process), RunningRecorder.isUnfinished(path) else {
                return nil
            }
            return
                "Process \(process) exited before its recording was complete. Run `multicam recover \(path.shellQuoted())`."
        }
    }
}

/// The reason why a running session can't be queried. Each case contains a sentence for the user.
package enum ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The command is invalid, or several sessions are running and the command doesn't specify which one is
    /// meant.
    case usage(String)
    /// No session of this user is running.
    case notRunning(String)
    /// A system call failed, or the session didn't reply.
    case system(String)

    /// The error as a sentence for the user.
    package var description: String {
        switch self {
        case .usage(let sentence), .notRunning(let sentence), .system(let sentence): sentence
        }
    }
}

/// A process with a control socket, and its current activity.
struct RunningRecorder: Sendable {
    let process: Int32
    /// The process's reply to `status`; `nil` if the process didn't reply.
    let status: ControlStatus?
    /// The absolute path of the recording folder; `nil` if the process isn't recording.
    let folder: String?

    /// The activity of the process, such as `is recording profile “pip” into /home/ann/2026-11-21_142310_pip`.
    var activity: String {
        guard let status else { return "is not responding" }
        let profile = "profile “\(status.profile.printable())”"
        let place = (folder ?? status.folder).map { " into \($0.printable(limit: 1000))" } ?? ""
        switch status.state {
        case .standby: return "is on standby with \(profile)"
        case .starting: return "is starting to record \(profile)"
        case .paused: return "is paused with \(profile)"
        case .finishing: return "is finishing its recording of \(profile)\(place)"
        case .recording: return "is recording \(profile)\(place)"
        }
    }

    /// Returns whether a crashed process left a session folder unfinished.
    ///
    /// - Parameter folder: The session folder of the recording.
    /// - Returns: Whether the folder's manifest still states that the recording is in progress.
    static func isUnfinished(_ folder: String) -> Bool {
        struct Outcome: Decodable {
            let outcome: String
        }
        do {
            let manifest = try Data(contentsOf: URL(fileURLWithPath: folder).appending(path: "manifest.json"))
            return try JSONText.decoder().decode(Outcome.self, from: manifest).outcome == "recording"
        } catch {
            // The folder was removed or moved, so the state of its recording is unknown.
            return false
        }
    }
}
