internal import Foundation
internal import Glibc
internal import Media

/// Takes what people and programs ask of this process's session: on a Unix socket that only the same user may speak to.
///
/// A request is a line of JSON with the words of a `ControlCommand`, `{"words": ["layout", "grid"]}`; the reply is a line of JSON
/// too (`ControlReply`), and the connection ends with it.
public final class ControlServer: Sendable {
    struct Request: Codable {
        var words: [String]
    }

    private let socket: LocalSocket
    private let path: String
    private let thread: MediaThread

    /// How long somebody who connected may take to ask, and to take the answer.
    private static let patience = Nanoseconds.seconds(2)

    /// Begins to listen.
    ///
    /// - Parameter handler: Called on the server's thread, one command at a time; others wait meanwhile.
    /// - Throws: When there is no place for the socket.
    public convenience init(
        handler: @escaping @Sendable (ControlCommand) -> ControlReply
    ) throws(ControlError) {
        try self.init(
            in: ControlFolder(environment: ProcessInfo.processInfo.environment), handler: handler)
    }

    init(
        in folder: ControlFolder, handler: @escaping @Sendable (ControlCommand) -> ControlReply
    ) throws(ControlError) {
        try folder.make()
        let path = folder.socketPath(of: getpid())
        // Of an earlier process of this number.
        unlink(path)
        let socket = try LocalSocket()
        try socket.listen(at: path)
        self.socket = socket
        self.path = path
        thread = MediaThread(name: "control") {
            while let client = socket.accept() {
                client.setPatience(Self.patience)
                Self.serve(client, handler)
            }
        }
    }

    /// Listens no longer, and waits for the command under way.
    public func stop() {
        unlink(path)
        socket.shutDown()
        thread.join()
    }

    private static func serve(
        _ client: LocalSocket, _ handler: (ControlCommand) -> ControlReply
    ) {
        guard client.peerUser == geteuid() else {
            answer(client, ControlReply(ok: false, text: "this session belongs to another user."))
            return
        }
        guard let line = client.readLine() else { return }
        answer(client, reply(to: line, handler))
    }

    private static func reply(
        to line: Data, _ handler: (ControlCommand) -> ControlReply
    ) -> ControlReply {
        let request: Request
        do {
            request = try JSONDecoder().decode(Request.self, from: line)
        } catch {
            return ControlReply(
                ok: false,
                text:
                    #"the request is not understood: expected a line of JSON such as {"words": ["status"]}."#,
                usage: true)
        }
        do throws(ControlError) {
            return handler(try ControlCommand(words: request.words))
        } catch {
            return ControlReply(ok: false, text: error.description, usage: true)
        }
    }

    private static func answer(_ client: LocalSocket, _ reply: ControlReply) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            // Who has gone does not hear it.
            _ = client.write(line: try encoder.encode(reply))
        } catch {
            preconditionFailure("a reply is no JSON: \(error)")
        }
    }
}
