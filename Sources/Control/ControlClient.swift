internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// Sends commands to a running session of this user and receives its answers.
public struct ControlClient: Sendable {
    private let folder: ControlFolder
    /// The longest wait for an answer: a session answers once it has done what was asked, and closing files takes a while.
    private static let patience = Nanoseconds.seconds(30)
    /// The longest wait for an answer to `status` when sessions are listed.
    private static let listingPatience = Nanoseconds.seconds(2)

    /// Creates a client that finds sessions in this user's runtime directory.
    public init() { self.init(ControlFolder(environment: ProcessInfo.processInfo.environment)) }

    init(_ folder: ControlFolder) { self.folder = folder }

    /// Sends a command and waits up to 30 s for the answer. Blocks its thread.
    ///
    /// - Parameters:
    ///   - request: The command.
    ///   - process: The process identifier of the session; `nil` when only one session runs.
    /// - Returns: The session's answer.
    /// - Throws: `ControlError.usage` when the words are too long or several sessions run, `ControlError.nobody` when none runs,
    ///   `ControlError.system` when there is no answer.
    public func ask(_ request: CommandRequest, process: Int32? = nil) throws(ControlError) -> ControlReply {
        guard request.line.count <= LocalSocket.longestRequest else { throw Self.tooLong }
        return try Self.ask(request, over: try connected(process))
    }

    private static let tooLong = ControlError.usage(
        "the words are longer than \(LocalSocket.longestRequest) bytes: say it shorter.")

    /// Sends a command over a socket that is connected to a session, and waits up to 30 s for the answer. Blocks its thread.
    ///
    /// - Throws: `ControlError` as `ask(_:process:)`.
    package static func ask(
        _ request: CommandRequest, over socket: LocalSocket
    ) throws(ControlError) -> ControlReply {
        let line = request.line
        guard line.count <= LocalSocket.longestRequest else { throw tooLong }
        guard let reply = try exchange(line, over: socket, patience: patience) else {
            throw .system(
                "the session did not answer: it ended, or is stuck. `multicam ctl status` tells whether it goes on."
            )
        }
        return reply
    }

    /// What a process of this user does, such as `records profile “pip” into …`; `nil` when it is no recorder. Blocks its thread
    /// for at most some seconds.
    package func activity(of process: Int32) -> String? {
        do throws(ControlError) {
            guard let socket = try connection(to: process) else { return nil }
            return recorder(process, socket).activity
        } catch {
            // No process can be asked.
            return nil
        }
    }

    /// How a session goes; `nil` when no process of this number answers. Blocks its thread for at most some seconds.
    public func status(of process: Int32) -> ControlStatus? {
        do throws(ControlError) {
            guard let socket = try connection(to: process) else { return nil }
            return recorder(process, socket).status
        } catch {
            // No process can be asked.
            return nil
        }
    }

    /// The folder that a process recorded into when it ended without finishing it; `nil` where there is none.
    public func unfinishedRecording(of process: Int32) -> String? {
        guard let path = folder.recording(of: process), RunningRecorder.isUnfinished(path) else { return nil }
        return path.printable(limit: 1000)
    }

    /// Processes of this user that have a session now. Blocks its thread for at most some seconds.
    ///
    /// - Throws: `ControlError.system` when the system has no socket left.
    public func processes() throws(ControlError) -> [Int32] { try running().map(\.process) }

    /// Sends a request and waits for the answer.
    ///
    /// - Returns: `nil` when no answer came in time.
    private static func exchange(
        _ request: Data, over socket: LocalSocket, patience: Nanoseconds
    ) throws(ControlError) -> ControlReply? {
        socket.setPatience(patience)
        guard socket.write(line: request), let line = socket.readLine() else { return nil }
        do {
            return try JSONText.decoder().decode(ControlReply.self, from: line)
        } catch {
            throw .system("the session's answer is not understood: it is of another version of multicam.")
        }
    }

    // MARK: Who is there

    private func connected(_ process: Int32?) throws(ControlError) -> LocalSocket {
        if let process {
            if let socket = try connection(to: process) { return socket }
            let others = listed(try running())
            throw .nobody(
                "process \(process) runs no session of this user's. \(crashes([process]).first ?? others)")
        }
        let running = try running()
        guard let only = running.first else {
            let crashes = crashes(folder.processes())
            throw .nobody(
                crashes.isEmpty
                    ? "nothing is being recorded by this user: start `multicam record`, then control it from another terminal."
                    : "nothing is being recorded by this user. \(crashes.joined(separator: " "))")
        }
        guard running.count == 1 else {
            throw .usage(
                "\(listed(running)) Say which one is meant, for example `multicam ctl --process \(only.process) status`."
            )
        }
        return only.socket
    }

    private func connection(to process: Int32) throws(ControlError) -> LocalSocket? {
        let socket = try LocalSocket()
        // The queue of a recorder that hangs may be full, so connecting may block.
        socket.setPatience(Self.listingPatience)
        return try socket.connects(to: folder.socketPath(of: process)) ? socket : nil
    }

    private func running() throws(ControlError) -> [(process: Int32, socket: LocalSocket)] {
        var found: [(Int32, LocalSocket)] = []
        for process in folder.processes() {
            if let socket = try connection(to: process) { found.append((process, socket)) }
        }
        return found
    }

    /// Asks a recorder what it does, and uses up the socket.
    private func recorder(_ process: Int32, _ socket: LocalSocket) -> RunningRecorder {
        let reply: ControlReply?
        do throws(ControlError) {
            reply = try Self.exchange(
                CommandRequest.status.line, over: socket, patience: Self.listingPatience)
        } catch {
            reply = nil
        }
        return RunningRecorder(
            process: process, status: reply?.status, folder: folder.recording(of: process))
    }

    private func listed(_ running: [(process: Int32, socket: LocalSocket)]) -> String {
        guard !running.isEmpty else { return "None does." }
        let list = running.map { process, socket in
            "process \(process) \(recorder(process, socket).activity)"
        }
        return (running.count == 1 ? "One session runs: " : "\(running.count) sessions run: ")
            + "\(list.joined(separator: "; "))."
    }

    /// A sentence for each recording that these processes left unfinished.
    private func crashes(_ processes: [Int32]) -> [String] {
        processes.compactMap { process in
            guard let path = folder.recording(of: process), RunningRecorder.isUnfinished(path) else {
                return nil
            }
            return
                "Process \(process) ended without finishing its recording: run `multicam recover \(path.shellQuoted())`."
        }
    }
}
