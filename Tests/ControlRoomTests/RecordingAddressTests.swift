import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamControlRoom
@testable import MulticamStudio

@Suite("Requests for recordings")
struct RecordingAddressTests {
    private static func read(_ path: String, _ query: [String: String] = [:]) throws(RecordingRefusal)
        -> RecordingRequest?
    {
        try RecordingRequest.read(RequestHead(path: "/api/v1/recordings/" + path, query: query))
    }

    @Test("a path specifies a folder and the requested content")
    func addresses() throws {
        #expect(
            try Self.read("100% talk/frame.jpg", ["track": "desk", "at_ns": "7", "width": "160"])
                == RecordingRequest(folder: "100% talk", content: .frame(track: "desk", at: 7, width: 160)))
        #expect(try Self.read("a") == RecordingRequest(folder: "a", content: .manifest))
        #expect(
            try Self.read("a/waveform", ["track": "host"])
                == RecordingRequest(folder: "a", content: .waveform(track: "host", count: 600)))
        #expect(
            try Self.read("a/program.mp4") == RecordingRequest(folder: "a", content: .program(part: nil)))
        #expect(
            try Self.read("a/program.mp4", ["part": "2"])
                == RecordingRequest(folder: "a", content: .program(part: 2)))
        #expect(try Self.read("a/archive.zip") == RecordingRequest(folder: "a", content: .archive))
        #expect(try Self.read("a/files") == RecordingRequest(folder: "a", content: .files))
        #expect(
            try Self.read("a/files/edit/render-12.mp4")
                == RecordingRequest(folder: "a", content: .file("edit/render-12.mp4")))
        for path in [
            "a/", "a/manifest.json", "a/program.mp4/x", "a/cameras/desk.mov", "a/edit", "a/archive.zip/x",
        ] {
            #expect(try Self.read(path) == nil, "\(path)")
        }
    }

    @Test(
        "a folder that is a path, and an invalid number, are rejected",
        arguments: [
            ("..", ["track": "a", "at_ns": "0"]), (".", ["track": "a", "at_ns": "0"]),
            ("", ["track": "a", "at_ns": "0"]), ("a\0", ["track": "a", "at_ns": "0"]),
            ("-a", ["track": "a", "at_ns": "0"]), ("a", [:]), ("a", ["track": "a"]),
            ("a", ["track": "a", "at_ns": "-1"]), ("a", ["track": "a", "at_ns": "1e9"]),
            ("a", ["track": "a", "at_ns": "99999999999999999999"]),
            ("a", ["track": "a", "at_ns": "0", "width": "0"]),
            ("a", ["track": "a", "at_ns": "0", "width": "100000"]),
            ("a", ["track": "", "at_ns": "0"]),
            ("a", ["track": String(repeating: "x", count: 300), "at_ns": "0"]),
        ] as [(String, [String: String])])
    func refused(folder: String, query: [String: String]) {
        #expect(throws: RecordingRefusal.self) { try Self.read("\(folder)/frame.jpg", query) }
    }

    @Test(
        "a range is parsed according to RFC 9110",
        arguments: [
            (nil, .whole), ("bytes=0-499", .part(0..<500)), ("bytes=500-", .part(500..<1000)),
            ("bytes=-300", .part(700..<1000)), ("bytes=-3000", .part(0..<1000)),
            ("bytes=999-999", .part(999..<1000)), ("bytes=0-99999", .part(0..<1000)),
            ("bytes=0-99999999999999999999", .part(0..<1000)), ("bytes=1000-", .none),
            ("bytes=99999999999999999999-", .none), ("bytes=-0", .none), ("bytes=5-4", .whole),
            ("bytes=0-1,5-6", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole),
            ("bytes=1--2", .whole), ("lines=0-1", .whole), ("bytes=+1-2", .whole),
        ] as [(String?, ByteRange)])
    func ranges(header: String?, range: ByteRange) {
        #expect(ByteRange(header, of: 1000) == range)
    }

    @Test("an empty file has only unsatisfiable ranges")
    func empty() {
        #expect(ByteRange("bytes=0-", of: 0) == ByteRange.none)
        #expect(ByteRange("bytes=-5", of: 0) == ByteRange.none)
        #expect(ByteRange(nil, of: 0) == .whole)
    }

    @Test("a file is opened only within its folder, and never if it is a link, a pipe, or a folder")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "room-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "in/deep"), withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                Issue.record("\(error)")
            }
        }
        try Data("0123456789".utf8).write(to: folder.appending(path: "in/deep/file.mp4"))
        try Data("secret".utf8).write(to: folder.appending(path: "out"))
        func link(_ name: String, _ target: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/in/" + name, withDestinationPath: target)
        }
        try link("link", "../out")
        try link("up", "..")
        mkfifo(folder.path + "/in/pipe", 0o600)
        let place = folder.path + "/in"
        let file = try #require(RecordedFile("deep/file.mp4", in: place))
        #expect(file.byteCount == 10 && file.type == "video/mp4")
        #expect(file.read(4, at: 3) == Data("3456".utf8))
        #expect(file.read(40, at: 8) == Data("89".utf8))
        #expect(file.read(4, at: 10) == nil)
        for path in ["link", "up/out", "pipe", "deep", "../out", "/etc/passwd", "deep/../../out", "", "none"]
        {
            #expect(RecordedFile(path, in: place) == nil, "\(path)")
        }
    }

    @Test("a manifest is read only within its folder, with a size limit, and without blocking")
    func manifests() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shelf-\(UUID().uuidString)")
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                Issue.record("\(error)")
            }
        }
        for name in ["link", "pipe", "huge", "nonsense", "none"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        try Data("{}".utf8).write(to: folder.appending(path: "secret"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link/manifest.json", withDestinationPath: "../secret")
        mkfifo(folder.path + "/pipe/manifest.json", 0o600)
        try Data("nonsense".utf8).write(to: folder.appending(path: "nonsense/manifest.json"))
        let huge = open(folder.path + "/huge/manifest.json", O_CREAT | O_WRONLY, 0o600)
        #expect(ftruncate(huge, 1 << 40) == 0)
        close(huge)
        let shelf = RecordingLibrary(folder.path)
        for (name, status) in [
            ("link", 404), ("pipe", 404), ("none", 404), ("..", 404), ("nothing", 404), ("huge", 409),
            ("nonsense", 409),
        ] {
            let refusal = #expect(throws: RecordingRefusal.self) { try shelf.manifest(name) }
            #expect(refusal?.status == status, "\(name)")
        }
    }

    @Test("the newest order is processed first, and the oldest is dropped if the queue is full")
    func newest() {
        let orders = NewestFirstQueue<Int>(capacity: 3)
        #expect([1, 2, 3].map { orders.enqueue($0) } == [nil, nil, nil])
        #expect(orders.enqueue(4) == 1)
        #expect([orders.next(), orders.next(), orders.next()] == [4, 3, 2])
        _ = orders.enqueue(5)
        orders.finish()
        #expect(orders.next() == nil)
    }

    @Test("a job's options become safe arguments, and its output lines become progress")
    func jobs() {
        #expect(JobCommand.verify.arguments(folder: "r/a", [:]) == ["verify", "r/a"])
        #expect(
            JobCommand.export.arguments(folder: "r/a", ["to": "otio"]) == ["export", "r/a", "--to=otio"])
        #expect(JobCommand.export.arguments(folder: "r/a", [:]) == ["export", "r/a", "--to=all"])
        #expect(
            JobCommand.render.arguments(
                folder: "r/a", ["layout": "grid", "loudness": "-16", "proxies": "true"])
                == ["render", "r/a", "--layout=grid", "--loudness=-16", "--proxies"])
        #expect(
            JobCommand.calibrate.arguments(folder: "", ["events": "5", "dry-run": "false"])
                == ["calibrate", "--json", "--events=5"])
        for values in [
            ["output": "/etc/x"], ["layout": "--o"], ["size": "1;rm"], ["from": ""], ["proxies": "yes"],
            ["o": "x"], ["size": String(repeating: "1", count: 50)], ["cut": "FILE"],
        ] {
            #expect(JobCommand.render.arguments(folder: "r/a", values) == nil, "\(values)")
        }
        #expect(JobCommand.verify.arguments(folder: "r/a", ["json": "true"]) == nil)
        #expect(JobCommand.progress(in: "62 %, reading a") == 0.62)
        #expect(JobCommand.progress(in: "done 7.5%") == 0.075)
        for line in ["", "%", "a %", "200 %", "reading"] {
            #expect(JobCommand.progress(in: line) == nil, "\(line)")
        }
    }
}
