import Foundation
import Testing

@testable import MulticamControlRoom
@testable import MulticamStudio

@Suite("Input from web clients")
struct AddressTests {
    @Test("embeds every file of the page, and serves no other file")
    func assets() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/ControlRoom/Page")
        let found = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var files: [String: [UInt8]] = [:]
        for case let url as URL in found where ["html", "css", "js", "svg"].contains(url.pathExtension) {
            files[url.lastPathComponent] = Array(try Data(contentsOf: url))
        }
        #expect(Set(files.keys) == Set(PageAsset.all.keys))
        for (name, bytes) in files { #expect(PageAsset.all[name] == bytes, "\(name)") }
    }

    @Test(
        "rejects paths that leave the page's folder or name no file",
        arguments: [
            "/page/../index.html", "/page/", "/page/%2e%2e/x", "/etc/passwd", "/page/index.html/", "",
            "/page/nothing.js",
        ])
    func nothing(path: String) {
        #expect(PageAsset.at(path) == nil)
    }

    @Test(
        "serves each page at a separate path",
        arguments: ["/", "/multiview", "/program", "/remote", "/phone"])
    func pages(path: String) {
        #expect(PageAsset.at(path)?.type == "text/html; charset=utf-8")
    }

    @Test("reads the role or the program from an image path, and whether it is a stream")
    func pictures() throws {
        let still = try #require(PictureRequest("/api/v1/cameras/desk.jpg", width: 640))
        #expect(still.role == "desk" && !still.isStream)
        let program = try #require(PictureRequest("/api/v1/program.mjpg", width: 640))
        #expect(program.role == nil && program.isStream)
        #expect(PictureRequest("/api/v1/nothing", width: 640) == nil)
        #expect(PictureRequest("/api/v2/cameras/desk.jpg", width: 640) == nil)
    }

    @Test("accepts a command as a text or a list of words, and nothing else")
    func words() {
        func words(_ text: String) -> [String]? { CommandSender.arguments(Data(text.utf8)) }
        #expect(words(#"{"command":"mark question 2"}"#) == ["mark", "question", "2"])
        #expect(words(#"{"words":["mark","question 2"]}"#) == ["mark", "question 2"])
        for text in [
            "", "[]", "{}", #"{"command":""}"#, #"{"command":7}"#, #"{"words":[]}"#, #"{"words":"swap"}"#,
        ] {
            #expect(words(text) == nil, "\(text)")
        }
    }

    @Test("encodes and decodes lines between supervisor and web process without loss")
    func lines() throws {
        var line = SupervisorMessage()
        line.settings = RoomSettings(
            address: "127.0.0.1", port: 0, isEncrypted: false, certificate: nil, stateFolder: "/tmp",
            recordings: "/tmp", token: .random(), readToken: .random(), phoneToken: .random(), recorder: 12)
        let read = try #require(SupervisorMessage.read(line.text))
        #expect(read.settings?.token == line.settings?.token)
        #expect(read.settings?.recorder == 12)
        #expect(!line.text.contains("\n"))
        #expect(SupervisorMessage.read("{") == nil)
    }

    private func order(
        _ method: String, _ path: String, _ body: String = ""
    ) throws(PageRequest.Fault) -> PageRequest {
        try PageRequest(RequestHead(method: method, path: path)) { Data(body.utf8) }
    }

    @Test("reads a page's order from its method, path, and body")
    func orders() throws {
        #expect(try order("GET", "/api/v1/plan").task == .plan)
        #expect(try order("POST", "/api/v1/start").task == .start)
        // libsoup has already decoded the path.
        #expect(try order("GET", "/api/v1/profiles/100% talk").name == "100% talk")
        #expect(try order("GET", "/api/v1/profiles/a%20b").name == "a%20b")
        #expect(try order("PUT", "/api/v1/profiles/a", #"{"text":"x"}"#).text == "x")
        let job = try order(
            "POST", "/api/v1/jobs", #"{"command":"render","folder":"f","options":{"layout":"grid"}}"#)
        #expect(job.task == .job && job.command == .render && job.name == "f")
        #expect(job.options == ["layout": "grid"])
        #expect(try order("POST", "/api/v1/calibrate", "{}").command == .calibrate)
        #expect(try order("POST", "/api/v1/jobs/7/cancel", "{}").job == 7)
        let rename = try order("PATCH", "/api/v1/recordings/a b", #"{"title":"Talk"}"#)
        #expect(rename.task == .rename && rename.name == "a b" && rename.text == "Talk")
        let delete = try order("DELETE", "/api/v1/recordings/a", #"{"to":"trash"}"#)
        #expect(delete.task == .delete && delete.name == "a" && delete.text == "trash")
        #expect(try order("POST", "/api/v1/recordings/a/open", "{}").task == .open)
    }

    @Test(
        "rejects an invalid order with 400 for a body, 404 for a path, and 405 for a method",
        arguments: [
            ("POST", "/api/v1/jobs", "", 400), ("POST", "/api/v1/jobs", "{}", 400),
            ("POST", "/api/v1/jobs", #"{"command":"delete","folder":"f"}"#, 400),
            ("POST", "/api/v1/jobs", #"{"command":"verify"}"#, 400),
            ("POST", "/api/v1/calibrate", "[]", 400), ("POST", "/api/v1/profiles/use", "{}", 400),
            ("POST", "/api/v1/profiles/check", "nonsense", 400), ("PUT", "/api/v1/profiles/a", "{}", 400),
            ("GET", "/api/v1/nothing", "", 404), ("GET", "/api/v1/plan/x", "", 404),
            ("GET", "/api/", "", 404),
            ("GET", "/x/v1/plan", "", 404), ("GET", "/api/v2/plan", "", 404),
            ("GET", "/api/v1//plan", "", 404),
            ("POST", "/api/v1/jobs/x/cancel", "{}", 404), ("POST", "/api/v1/jobs/7/end", "{}", 404),
            ("DELETE", "/api/v1/profiles/a", "", 405), ("POST", "/api/v1/profiles/a", "{}", 405),
            ("POST", "/api/v1/plan", "{}", 405), ("PUT", "/api/v1/status", "", 405),
            ("DELETE", "/api/v1/recordings/a", "{}", 400), ("PATCH", "/api/v1/recordings/a", "", 400),
            ("PUT", "/api/v1/recordings/a", "{}", 405), ("GET", "/api/v1/recordings/a/open", "", 405),
            ("GET", "/api/v1/command", "", 405),
            ("GET", "/api/v1/start", "", 405), ("PUT", "/api/v1/jobs", "", 405),
        ])
    func noOrder(method: String, path: String, body: String, status: Int) {
        let fault = #expect(throws: PageRequest.Fault.self) { try order(method, path, body) }
        #expect(fault?.rawValue == status)
    }

    @Test("converts a request for camera controls into a command for the recorder")
    func controls() {
        func words(_ body: String) -> [String]? {
            ControlsRequest(role: "desk", Data(body.utf8))?.arguments
        }
        #expect(ControlsRequest.role(of: "/api/v1/cameras/100% talk/controls") == "100% talk")
        for path in ["/api/v1/cameras/controls", "/api/v1/cameras//controls", "/api/v1/cameras/a/b/controls"]
        {
            #expect(ControlsRequest.role(of: path) == nil, "\(path)")
        }
        #expect(
            words(#"{"set":{"gain":24,"auto_exposure":"manual","focus":true}}"#)
                == ["controls", "desk", "auto_exposure=manual", "focus=on", "gain=24"])
        #expect(words(#"{"load":"evening"}"#) == ["load-preset", "desk", "evening"])
        #expect(words(#"{"save":"evening"}"#) == ["save-preset", "desk", "evening"])
        #expect(words(#"{"match":"face"}"#) == ["match", "desk", "face"])
        for body in [
            "", "{}", #"{"set":{}}"#, #"{"set":{"gain":null}}"#, #"{"set":{"gain":[1]}}"#,
            #"{"load":"a","save":"b"}"#, #"{"set":7}"#, #"{"set":{"gain":1e300}}"#,
        ] {
            #expect(words(body) == nil, "\(body)")
        }
    }

    @Test(
        "rejects names from a page that could be paths or options",
        arguments: ["../x", "a/b", "", "-o", ".", "..", "a\0b", String(repeating: "x", count: 300)])
    func names(name: String) {
        #expect(!StudioRequestHandler.isProfileName(name))
        #expect(!StudioRequestHandler.isFolderName(name))
    }

    @Test("accepts names of profiles and folders created by multicam")
    func usualNames() {
        #expect(StudioRequestHandler.isProfileName("side-by-side"))
        #expect(StudioRequestHandler.isFolderName("2026-11-21_142310_pip"))
    }
}
