import Foundation
import Glibc
import Media
import Session
import Testing

@testable import MulticamKit

@Suite("The control socket")
struct ControlServerTests {
    /// A folder of the test's own as the runtime directory.
    private final class Place {
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
    }

    @Test("brings a command to the session, and its answer back; afterwards nobody is there")
    func answers() throws {
        let place = try Place()
        let heard = Monitor<[ControlCommand]>([])
        let server = try ControlServer(in: place.folder) { command in
            heard.withLock { $0.append(command) }
            return ControlReply(ok: true, text: "done")
        }
        let client = ControlClient(place.folder)
        #expect(try client.ask(["mark", "question", "2"]) == ControlReply(ok: true, text: "done"))
        #expect(try client.ask(["layout", "grid"], process: getpid()).ok)
        #expect(try client.ask(["snapshot", "desk"]).ok)
        #expect(
            heard.withLock { $0 } == [.mark("question 2"), .change(.layout(.grid)), .snapshot(["desk"])])
        server.stop()
        let error = #expect(throws: ControlError.self) { try client.ask(["status"]) }
        #expect(error?.description.contains("nothing is being recorded") == true)
        #expect(place.folder.processes().isEmpty)
    }

    @Test("refuses words that make no sense before anybody is asked, and requests that are none")
    func refuses() throws {
        let place = try Place()
        let server = try ControlServer(in: place.folder) { _ in
            Issue.record("nothing was to be asked")
            return ControlReply(ok: true, text: "")
        }
        defer { server.stop() }
        let client = ControlClient(place.folder)
        #expect(throws: ControlError.self) { try client.ask(["layuot", "grid"]) }
        #expect(throws: ControlError.self) { try client.ask([]) }
        #expect(throws: ControlError.self) { try client.ask(["stop", "now"]) }
        for request in ["", "{", "[1]", #"{"words": 5}"#, #"{"words": ["fly"]}"#, "\u{0}\u{1}"] {
            let socket = try LocalSocket()
            #expect(try socket.connects(to: place.folder.socketPath(of: getpid())))
            socket.setPatience(.seconds(5))
            #expect(socket.write(line: Data(request.utf8)))
            let reply = try JSONDecoder().decode(ControlReply.self, from: #require(socket.readLine()))
            #expect(!reply.ok && reply.usage && reply.text.contains("expected"))
        }
    }

    @Test("is for its user alone: its folder may be entered by nobody else, and somebody else's is not taken")
    func isPrivate() throws {
        let place = try Place()
        try place.folder.make()
        var status = stat()
        #expect(stat(place.folder.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        chmod(place.folder.path, 0o755)
        let error = #expect(throws: ControlError.self) {
            _ = try ControlServer(in: place.folder) { _ in ControlReply(ok: true, text: "") }
        }
        #expect(error?.description.contains("this user's alone") == true)
    }

    @Test("A socket that a crash left is nobody; one that cannot be made is said")
    func stale() throws {
        let place = try Place()
        try place.folder.make()
        #expect(FileManager.default.createFile(atPath: place.folder.socketPath(of: 1), contents: nil))
        #expect(throws: ControlError.self) { try ControlClient(place.folder).ask(["status"]) }
        let long = ControlFolder(environment: [
            "XDG_RUNTIME_DIR": place.scratch.path + "/" + String(repeating: "x", count: 90)
        ])
        #expect(throws: ControlError.self) {
            _ = try ControlServer(in: long) { _ in ControlReply(ok: true, text: "") }
        }
    }
}
