internal import Foundation
internal import Glibc
internal import Media

/// Speaks to a running session of this user's.
public struct ControlClient: Sendable {
    private let folder: ControlFolder
    /// A session answers when it has done what it was asked: closing files may take a while.
    private static let patience = Nanoseconds.seconds(30)

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
        let socket = try connected(process)
        socket.setPatience(Self.patience)
        let request: Data
        do {
            request = try JSONEncoder().encode(ControlServer.Request(words: words))
        } catch {
            preconditionFailure("words are no JSON: \(error)")
        }
        guard socket.write(line: request), let line = socket.readLine() else {
            throw .system(
                "the session did not answer: it ended, or is stuck. `multicam ctl status` tells whether it goes on."
            )
        }
        do {
            return try JSONDecoder().decode(ControlReply.self, from: line)
        } catch {
            throw .system("the session's answer is not understood: it is of another version of multicam.")
        }
    }

    private func connected(_ process: Int32?) throws(ControlError) -> LocalSocket {
        if let process {
            let socket = try LocalSocket()
            guard try socket.connects(to: folder.socketPath(of: process)) else {
                throw .nobody("process \(process) runs no session of this user's. \(list(try running()))")
            }
            return socket
        }
        let running = try running()
        guard let only = running.first else {
            throw .nobody(
                "nothing is being recorded by this user: start `multicam record`, then control it from another terminal."
            )
        }
        guard running.count == 1 else {
            throw .usage("\(list(running)) Say which one: `--process NUMBER`.")
        }
        return only.socket
    }

    private func list(_ running: [(process: Int32, socket: LocalSocket)]) -> String {
        let numbers = running.map { "\($0.process)" }.joined(separator: ", ")
        return running.isEmpty ? "None does." : "There are sessions of process \(numbers)."
    }

    private func running() throws(ControlError) -> [(process: Int32, socket: LocalSocket)] {
        var found: [(Int32, LocalSocket)] = []
        for process in folder.processes() {
            let socket = try LocalSocket()
            if try socket.connects(to: folder.socketPath(of: process)) { found.append((process, socket)) }
        }
        return found
    }
}
