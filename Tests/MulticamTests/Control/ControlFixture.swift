import Foundation
import MulticamMedia

@testable import MulticamControl

/// A temporary runtime directory, and clients for its sockets.
final class ControlFixture {
    let scratch = FileManager.default.temporaryDirectory.appending(
        path: "mc-\(UUID().uuidString.prefix(8))")
    let folder: ControlFolder

    init() throws {
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        folder = ControlFolder(environment: ["XDG_RUNTIME_DIR": scratch.path])
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: scratch)
        } catch {
            print("left behind: \(scratch.path): \(error)")
        }
    }

    /// Connects to this process's server without sending anything.
    func connect() throws -> LocalSocket {
        let socket = try LocalSocket()
        // The timeout makes a test fail instead of waiting forever.
        socket.setTimeout(.seconds(60))
        guard try socket.tryConnect(to: folder.socketPath(of: getpid())) else { throw Refused() }
        return socket
    }

    /// Returns the server's reply, as read by a client.
    static func reply(from socket: LocalSocket) throws -> ControlReply {
        guard let line = socket.readLine() else { throw Refused() }
        return try JSONDecoder().decode(ControlReply.self, from: line)
    }

    struct Refused: Error {}
}
