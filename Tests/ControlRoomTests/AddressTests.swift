import Foundation
import Studio
import Testing

@testable import ControlRoom

@Suite("Addresses and words from outside")
struct AddressTests {
    @Test("every file of the page is embedded, and nothing else is served as one")
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
        "paths that climb or name nothing find nothing",
        arguments: [
            "/page/../index.html", "/page/", "/page/%2e%2e/x", "/etc/passwd", "/page/index.html/", "",
            "/page/nothing.js",
        ])
    func nothing(path: String) {
        #expect(PageAsset.at(path) == nil)
    }

    @Test("the pages have addresses of their own", arguments: ["/", "/multiview", "/program", "/remote"])
    func pages(path: String) {
        #expect(PageAsset.at(path)?.type == "text/html; charset=utf-8")
    }

    @Test("a picture's address names a role or the program, and whether frames follow")
    func pictures() throws {
        let still = try #require(PictureWish("/api/v1/cameras/desk.jpg", width: 640))
        #expect(still.role == "desk" && !still.isStream)
        let program = try #require(PictureWish("/api/v1/program.mjpg", width: 640))
        #expect(program.role == nil && program.isStream)
        #expect(PictureWish("/api/v1/nothing", width: 640) == nil)
        #expect(PictureWish("/api/v2/cameras/desk.jpg", width: 640) == nil)
    }

    @Test("a command is a text or a list of words; anything else is none")
    func words() {
        func words(_ text: String) -> [String]? { CommandDesk.words(Data(text.utf8)) }
        #expect(words(#"{"command":"mark question 2"}"#) == ["mark", "question", "2"])
        #expect(words(#"{"words":["mark","question 2"]}"#) == ["mark", "question 2"])
        for text in [
            "", "[]", "{}", #"{"command":""}"#, #"{"command":7}"#, #"{"words":[]}"#, #"{"words":"swap"}"#,
        ] {
            #expect(words(text) == nil, "\(text)")
        }
    }

    @Test("lines between supervisor and web process come back as they were said")
    func lines() throws {
        var line = SupervisorLine()
        line.settings = RoomSettings(
            address: "127.0.0.1", port: 0, certificate: nil, token: .random(), readToken: .random(),
            recorder: 12)
        let read = try #require(SupervisorLine.read(line.text))
        #expect(read.settings?.token == line.settings?.token)
        #expect(read.settings?.recorder == 12)
        #expect(!line.text.contains("\n"))
        #expect(SupervisorLine.read("{") == nil)
    }
}
