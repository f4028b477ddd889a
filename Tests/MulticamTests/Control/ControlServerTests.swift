import Foundation
import Glibc
import MulticamInputs
import MulticamMedia
import MulticamProfiles
import Testing

@testable import MulticamControl
@testable import MulticamPlan
@testable import MulticamSession
@testable import MulticamSessionFolder
@testable import MulticamSetup

@Suite("The control socket")
struct ControlServerTests {
    @Test("commands reach the session and replies return; after the server stops, no session is found")
    func answers() throws {
        let place = try ControlFixture()
        let heard = ConditionLock<[[String]]>([])
        let server = try ControlServer(in: place.folder) { request in
            ControlServer.Command { _, answer in
                heard.withLock { $0.append(request.arguments) }
                answer(ControlReply(ok: true, text: "done"))
            }
        }
        let client = ControlClient(place.folder)
        #expect(
            try client.send(CommandRequest(arguments: ["mark", "question", "2"]))
                == ControlReply(ok: true, text: "done"))
        #expect(try client.send(CommandRequest(arguments: ["layout", "grid"]), process: getpid()).ok)
        #expect(try client.send(CommandRequest(arguments: ["snapshot", "desk"])).ok)
        #expect(
            heard.withLock { $0 } == [["mark", "question", "2"], ["layout", "grid"], ["snapshot", "desk"]])
        server.stop()
        let error = #expect(throws: ControlError.self) {
            try client.send(CommandRequest(arguments: ["status"]))
        }
        #expect(error?.description.contains("no session of this user is running") == true)
        #expect(place.folder.processes().isEmpty)
    }

    @Test("a reply may contain measurements that aren't numbers")
    func noNumber() throws {
        let place = try ControlFixture()
        let status = try JSONText.decoder().decode(
            ControlStatus.self,
            from: Data(
                #"""
                {"state": "recording", "profile": "pip", "time_ns": 1, "cameras": [], "given_up": [], "paused": [], "microphones": [
                  {"role": "host", "peak": "inf", "level": "-inf", "alarms": [], "missing_ns": 0, "ppm": 0, "locked": true, "residual_us": "inf",
                   "name": "", "channels": 1, "gain": 0, "muted": false, "processing": "off", "clipped": 0, "clipped_last_minute": 0}],
                 "scenes": [], "markers": [], "marker_count": 0, "governor": [], "live_outputs": [], "policy": "adapt", "limits": {}}
                """#.utf8))
        let reply = ControlReply(ok: true, text: "", status: status)
        let server = try ControlServer(in: place.folder) { _ in
            ControlServer.Command { _, answer in answer(reply) }
        }
        defer { server.stop() }
        #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["status"])) == reply)
    }

    @Test("invalid commands and invalid requests are refused as usage errors")
    func refuses() throws {
        let place = try ControlFixture()
        let server = try ControlServer(in: place.folder) { request throws(ControlError) in
            throw .usage("\(request.arguments): expected a command.")
        }
        defer { server.stop() }
        let client = ControlClient(place.folder)
        for words in [["layuot", "grid"], [], ["stop", "now"]] {
            let reply = try client.send(CommandRequest(arguments: words))
            #expect(!reply.ok && reply.usage && reply.text == "\(words): expected a command.")
        }
        for request in ["", "{", "[1]", #"{"words": 5}"#, #"{"words": ["fly"]}"#, "\u{0}\u{1}"] {
            let socket = try place.connect()
            #expect(socket.write(line: Data(request.utf8)))
            let reply = try ControlFixture.reply(from: socket)
            #expect(!reply.ok && reply.usage && reply.text.contains("expected"))
        }
    }

    @Test("the folder is private to its user, and a folder accessible to others is rejected")
    func isPrivate() throws {
        let place = try ControlFixture()
        try place.folder.make()
        var status = stat()
        #expect(stat(place.folder.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        chmod(place.folder.path, 0o755)
        let error = #expect(throws: ControlError.self) {
            _ = try ControlServer(in: place.folder) { _ in
                ControlServer.Command { _, answer in answer(ControlReply(ok: true, text: "")) }
            }
        }
        #expect(error?.description.contains("accessible to other users") == true)
    }

    @Test("if several sessions are running, the error lists profiles, folders, and how to select one")
    func several() throws {
        let place = try ControlFixture()
        let plan = SessionPlan(
            profile: "interview", cameras: [], microphones: [], program: nil, cameraTracks: [],
            microphoneTracks: [])
        let server = try ControlServer(in: place.folder) { _ in
            ControlServer.Command { _, answer in
                var status = SessionStatus()
                status.phase = .recording
                answer(
                    ControlReply(
                        ok: true, text: "",
                        status: ControlStatus(status, plan: plan, folder: "recordings/talk")))
            }
        }
        defer { server.stop() }
        let client = ControlClient(place.folder)
        try server.setRecordingFolder(place.scratch.path + "/talk")
        let own = getpid()
        // The socket has the name of another process, but this process serves it.
        try FileManager.default.createSymbolicLink(
            atPath: place.folder.socketPath(of: 1),
            withDestinationPath: place.folder.socketPath(of: own))
        let error = #expect(throws: ControlError.self) {
            try client.send(CommandRequest(arguments: ["stop"]))
        }
        let text = try #require(error?.description)
        #expect(
            text.contains(
                "2 sessions are running: process 1 is recording profile “interview” into recordings/talk; "))
        #expect(
            text.contains("process \(own) is recording profile “interview” into \(place.scratch.path)/talk."))
        #expect(text.contains("`multicam ctl --process 1 status`"))
        #expect(try client.send(CommandRequest(arguments: ["status"]), process: own).ok)
        #expect(client.activity(of: own)?.hasPrefix("is recording profile “interview” into /") == true)
        #expect(client.activity(of: 2) == nil)
    }

    @Test("an interrupted recording is reported with its recovery command until it is recovered or deleted")
    func crashed() throws {
        let place = try ControlFixture()
        try place.folder.make()
        let folder = place.scratch.path + "/ann's talk"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(FileManager.default.createFile(atPath: place.folder.socketPath(of: 1), contents: nil))
        try place.folder.setRecordingFolder(folder, of: 1)
        let client = ControlClient(place.folder)
        func answer(_ process: Int32?) throws -> String {
            let error = #expect(throws: ControlError.self) {
                try client.send(CommandRequest(arguments: ["status"]), process: process)
            }
            return try #require(error?.description)
        }
        let manifest = URL(fileURLWithPath: folder + "/manifest.json")
        try Data(#"{"outcome": "recording"}"#.utf8).write(to: manifest)
        for process in [nil, 1] as [Int32?] {
            #expect(
                try answer(process).contains(
                    "Process 1 exited before its recording was complete. Run `multicam recover \(folder.shellQuoted())`."
                ))
        }
        try Data(#"{"outcome": "recovered"}"#.utf8).write(to: manifest)
        #expect(try !answer(nil).contains("recover"))
        try FileManager.default.removeItem(atPath: folder)
        #expect(try !answer(1).contains("recover"))
    }

    @Test("the error for a busy device names the recording that uses it")
    func held() {
        let busy = SetupError.device(
            DeviceError(
                device: "/dev/video0", operation: "opening",
                reason: .busy(by: DeviceHolder(program: "multicam", process: 4312))))
        let told = busy.describingHolder { process in
            process == 4312 ? "is recording profile “pip” into /home/ann/talk" : nil
        }
        #expect(
            told.description
                == "/dev/video0: opening failed: the device is in use by `multicam` (process 4312), which is recording profile “pip” into /home/ann/talk. "
                + "Close that program, or choose another camera.")
        #expect(busy.describingHolder { _ in nil } == busy)
        #expect(SetupError.usage("no").describingHolder { _ in "records" } == .usage("no"))
    }

    @Test("A socket left by a crash counts as no session, and failure to create a socket is reported")
    func stale() throws {
        let place = try ControlFixture()
        try place.folder.make()
        #expect(FileManager.default.createFile(atPath: place.folder.socketPath(of: 1), contents: nil))
        #expect(throws: ControlError.self) {
            try ControlClient(place.folder).send(CommandRequest(arguments: ["status"]))
        }
        let long = ControlFolder(environment: [
            "XDG_RUNTIME_DIR": place.scratch.path + "/" + String(repeating: "x", count: 90)
        ])
        #expect(throws: ControlError.self) {
            _ = try ControlServer(in: long) { _ in
                ControlServer.Command { _, answer in answer(ControlReply(ok: true, text: "")) }
            }
        }
    }
}
