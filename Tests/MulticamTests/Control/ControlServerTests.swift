import Foundation
import Glibc
import Inputs
import Media
import Profiles
import Testing

@testable import Control
@testable import Plan
@testable import Session
@testable import SessionFolder
@testable import Setup

@Suite("The control socket")
struct ControlServerTests {
    @Test("brings a command to the session, and its answer back; afterwards nobody is there")
    func answers() throws {
        let place = try ControlPlace()
        let heard = ConditionLock<[ControlCommand]>([])
        let server = try ControlServer(in: place.folder) { command, _, answer in
            heard.withLock { $0.append(command) }
            answer(ControlReply(ok: true, text: "done"))
        }
        let client = ControlClient(place.folder)
        #expect(
            try client.ask(CommandRequest(words: ["mark", "question", "2"]))
                == ControlReply(ok: true, text: "done"))
        #expect(try client.ask(CommandRequest(words: ["layout", "grid"]), process: getpid()).ok)
        #expect(try client.ask(CommandRequest(words: ["snapshot", "desk"])).ok)
        #expect(
            heard.withLock { $0 } == [.mark("question 2"), .change(.layout(.grid)), .snapshot(["desk"])])
        server.stop()
        let error = #expect(throws: ControlError.self) { try client.ask(CommandRequest(words: ["status"])) }
        #expect(error?.description.contains("nothing is being recorded") == true)
        #expect(place.folder.processes().isEmpty)
    }

    @Test("answers also where a measurement is no number")
    func noNumber() throws {
        let place = try ControlPlace()
        let status = try JSONText.decoder().decode(
            ControlStatus.self,
            from: Data(
                #"""
                {"state": "recording", "profile": "pip", "time_ns": 1, "cameras": [], "given_up": [], "microphones": [
                  {"role": "host", "peak": "inf", "level": "-inf", "alarms": [], "missing_ns": 0, "ppm": 0, "locked": true, "residual_us": "inf",
                   "name": "", "channels": 1, "gain": 0, "muted": false, "clipped": 0, "clipped_last_minute": 0}],
                 "scenes": [], "marks": [], "mark_count": 0, "governor": [], "publications": [], "policy": "adapt", "limits": {}}
                """#.utf8))
        let reply = ControlReply(ok: true, text: "", status: status)
        let server = try ControlServer(in: place.folder) { _, _, answer in answer(reply) }
        defer { server.stop() }
        #expect(try ControlClient(place.folder).ask(CommandRequest(words: ["status"])) == reply)
    }

    @Test("refuses words that make no sense before anybody is asked, and requests that are none")
    func refuses() throws {
        let place = try ControlPlace()
        let server = try ControlServer(in: place.folder) { _, _, answer in
            Issue.record("nothing was to be asked")
            answer(ControlReply(ok: true, text: ""))
        }
        defer { server.stop() }
        let client = ControlClient(place.folder)
        #expect(throws: ControlError.self) { try client.ask(CommandRequest(words: ["layuot", "grid"])) }
        #expect(throws: ControlError.self) { try client.ask(CommandRequest(words: [])) }
        #expect(throws: ControlError.self) { try client.ask(CommandRequest(words: ["stop", "now"])) }
        for request in ["", "{", "[1]", #"{"words": 5}"#, #"{"words": ["fly"]}"#, "\u{0}\u{1}"] {
            let socket = try place.connect()
            #expect(socket.write(line: Data(request.utf8)))
            let reply = try ControlPlace.reply(from: socket)
            #expect(!reply.ok && reply.usage && reply.text.contains("expected"))
        }
    }

    @Test("is for its user alone: its folder may be entered by nobody else, and somebody else's is not taken")
    func isPrivate() throws {
        let place = try ControlPlace()
        try place.folder.make()
        var status = stat()
        #expect(stat(place.folder.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        chmod(place.folder.path, 0o755)
        let error = #expect(throws: ControlError.self) {
            _ = try ControlServer(in: place.folder) { _, _, answer in answer(ControlReply(ok: true, text: ""))
            }
        }
        #expect(error?.description.contains("this user's alone") == true)
    }

    @Test("where several record, each is listed with its profile and folder, and how to choose")
    func several() throws {
        let place = try ControlPlace()
        let plan = SessionPlan(
            profile: "interview", cameras: [], microphones: [], program: nil, cameraTracks: [],
            microphoneTracks: [])
        let server = try ControlServer(in: place.folder) { _, _, answer in
            var status = SessionStatus()
            status.phase = .recording
            answer(
                ControlReply(
                    ok: true, text: "", status: ControlStatus(status, plan: plan, folder: "recordings/talk")))
        }
        defer { server.stop() }
        let client = ControlClient(place.folder)
        try server.note(recordingIn: place.scratch.path + "/talk")
        let own = getpid()
        // Another process's, which happens to be served here, too.
        try FileManager.default.createSymbolicLink(
            atPath: place.folder.socketPath(of: 1),
            withDestinationPath: place.folder.socketPath(of: own))
        let error = #expect(throws: ControlError.self) { try client.ask(CommandRequest(words: ["stop"])) }
        let text = try #require(error?.description)
        #expect(text.contains("2 sessions run: process 1 records profile “interview” into recordings/talk; "))
        #expect(text.contains("process \(own) records profile “interview” into \(place.scratch.path)/talk."))
        #expect(text.contains("`multicam ctl --process 1 status`"))
        #expect(try client.ask(CommandRequest(words: ["status"]), process: own).ok)
        #expect(client.activity(of: own)?.hasPrefix("records profile “interview” into /") == true)
        #expect(client.activity(of: 2) == nil)
    }

    @Test("what a crash left unfinished is named with its cure, until it is whole or gone")
    func crashed() throws {
        let place = try ControlPlace()
        try place.folder.make()
        let folder = place.scratch.path + "/ann's talk"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(FileManager.default.createFile(atPath: place.folder.socketPath(of: 1), contents: nil))
        try place.folder.note(recordingIn: folder, by: 1)
        let client = ControlClient(place.folder)
        func answer(_ process: Int32?) throws -> String {
            let error = #expect(throws: ControlError.self) {
                try client.ask(CommandRequest(words: ["status"]), process: process)
            }
            return try #require(error?.description)
        }
        let manifest = URL(fileURLWithPath: folder + "/manifest.json")
        try Data(#"{"outcome": "recording"}"#.utf8).write(to: manifest)
        for process in [nil, 1] as [Int32?] {
            #expect(
                try answer(process).contains(
                    "Process 1 ended without finishing its recording: run `multicam recover \(folder.shellQuoted())`."
                ))
        }
        try Data(#"{"outcome": "recovered"}"#.utf8).write(to: manifest)
        #expect(try !answer(nil).contains("recover"))
        try FileManager.default.removeItem(atPath: folder)
        #expect(try !answer(1).contains("recover"))
    }

    @Test("a device that another recording has is refused with what that records")
    func held() {
        let busy = SetupError.device(
            DeviceError(
                device: "/dev/video0", operation: "open",
                reason: .busy(by: DeviceHolder(program: "multicam", process: 4312))))
        let told = busy.naming { process in
            process == 4312 ? "records profile “pip” into /home/ann/talk" : nil
        }
        #expect(
            told.description
                == "/dev/video0: open failed: `multicam` (process 4312) is using it: it records profile “pip” into /home/ann/talk. "
                + "Close that program, or pick another camera.")
        #expect(busy.naming { _ in nil } == busy)
        #expect(SetupError.usage("no").naming { _ in "records" } == .usage("no"))
    }

    @Test("A socket that a crash left is nobody; one that cannot be made is said")
    func stale() throws {
        let place = try ControlPlace()
        try place.folder.make()
        #expect(FileManager.default.createFile(atPath: place.folder.socketPath(of: 1), contents: nil))
        #expect(throws: ControlError.self) {
            try ControlClient(place.folder).ask(CommandRequest(words: ["status"]))
        }
        let long = ControlFolder(environment: [
            "XDG_RUNTIME_DIR": place.scratch.path + "/" + String(repeating: "x", count: 90)
        ])
        #expect(throws: ControlError.self) {
            _ = try ControlServer(in: long) { _, _, answer in answer(ControlReply(ok: true, text: "")) }
        }
    }
}
