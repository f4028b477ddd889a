internal import Foundation
internal import Glibc
internal import Media
internal import SessionFolder

/// Speaks to a running session of this user's.
public struct ControlClient: Sendable {
    private let folder: ControlFolder
    /// A session answers when it has done what it was asked: closing files may take a while.
    private static let patience = Nanoseconds.seconds(30)
    /// Who answers later than this to `status` is listed without its answer.
    private static let listingPatience = Nanoseconds.seconds(2)

    public init() { self.init(ControlFolder(environment: ProcessInfo.processInfo.environment)) }

    init(_ folder: ControlFolder) { self.folder = folder }

    /// Asks, and waits for the answer. Blocks its thread.
    ///
    /// - Parameters:
    ///   - words: Of a `ControlCommand`.
    ///   - process: Which process's session; `nil` for the only one that there is.
    /// - Returns: Whether it was done, and what there is to say.
    /// - Throws: When the words make no sense, nothing runs, or it is not clear which is meant.
    public func ask(_ words: [String], process: Int32? = nil) throws(ControlError) -> ControlReply {
        _ = try ControlCommand(words: words)
        let request = Self.request(words)
        guard request.count <= LocalSocket.longestRequest else {
            throw .usage("the words are longer than \(LocalSocket.longestRequest) bytes: say it shorter.")
        }
        let socket = try connected(process)
        guard let reply = try Self.exchange(request, over: socket, patience: Self.patience) else {
            throw .system(
                "the session did not answer: it ended, or is stuck. `multicam ctl status` tells whether it goes on."
            )
        }
        return reply
    }

    /// What a process of this user's does, such as `records profile “pip” into …`; `nil` where it is no recorder. Blocks its thread
    /// for some seconds at the most.
    package func activity(of process: Int32) -> String? {
        do throws(ControlError) {
            guard let socket = try connection(to: process) else { return nil }
            return recorder(process, socket).activity
        } catch {
            // Nobody can be asked.
            return nil
        }
    }

    private static func request(_ words: [String]) -> Data {
        Data(JSONText.line(ControlLoop.Request(words: words)).utf8)
    }

    /// - Returns: `nil` where no answer came in time.
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
        // Of a recorder that hangs, the queue may be full.
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

    /// Asks a recorder what it does. The socket is used up by that.
    private func recorder(_ process: Int32, _ socket: LocalSocket) -> RunningRecorder {
        let reply: ControlReply?
        do throws(ControlError) {
            reply = try Self.exchange(Self.request(["status"]), over: socket, patience: Self.listingPatience)
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
