import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamSystem

@Suite("Files in an untrusted folder")
final class ContainedFolderTests {
    private let root = FileManager.default.temporaryDirectory.appending(
        path: "contained-\(UUID().uuidString)"
    ).path
    private var inside: String { root + "/session" }
    private var canary: String { root + "/canary" }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: inside + "/cameras", withIntermediateDirectories: true)
        try Data("canary".utf8).write(to: URL(fileURLWithPath: canary))
        try Data("desk".utf8).write(to: URL(fileURLWithPath: inside + "/cameras/desk.mov"))
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: root) } catch { print("left behind: \(root)") }
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Returns the error of an action that is expected to fail.
    private func refusal(_ action: () throws -> Void) -> FileError? {
        do {
            try action()
            Issue.record("it was not refused")
            return nil
        } catch {
            return error as? FileError
        }
    }

    /// Symbolic links, their targets, and paths through them.
    private static let links = [
        (name: "desk.mov", target: "../canary", file: "desk.mov"),
        (name: "out", target: "..", file: "out/canary"),
        (name: "cameras2", target: "cameras", file: "cameras2/desk.mov"),
        (name: "dangling", target: "nowhere", file: "dangling"),
        (name: "circle", target: "circle", file: "circle"),
    ]

    @Test("Symbolic links are never followed, with or without openat2", arguments: [true, false])
    func links(usesOpenat2: Bool) throws {
        let folder = try ContainedFolder(opening: inside, usesOpenat2: usesOpenat2)
        for (name, target, file) in Self.links {
            #expect(symlink(target, "\(inside)/\(name)") == 0)
            let place = folder.file(file)
            for error in [
                refusal { _ = try place.openForReading() }, refusal { _ = try place.openForUpdate() },
            ] {
                #expect(error?.errno == 0 && error?.detail.contains("symbolic link") == true, "\(file)")
            }
            #expect(throws: FileError.self) { _ = try place.create() }
            #expect(throws: FileError.self) { try folder.makeFolder(name + "/new") }
            #expect(place.byteCount == nil && !place.isReadable)
            #expect(throws: FileError.self) { _ = try folder.folder(name) }
        }
        #expect(try folder.folder("cameras").file("desk.mov").byteCount == 4)
        let error = #expect(throws: FileError.self) { _ = try folder.listing(of: "out") }
        #expect(error?.detail.contains("symbolic link") == true)
        #expect(throws: FileError.self) {
            try folder.file("cameras/desk.mov").rename(to: folder.file("out/taken"))
        }
        #expect(throws: FileError.self) {
            try folder.file("cameras/desk.mov").link(to: folder.file("out/taken"))
        }
        #expect(throws: FileError.self) { try folder.file("out/canary").remove() }
        #expect(try text(canary) == "canary")
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: root)) == ["canary", "session"])
    }

    @Test("A path outside of the folder is rejected", arguments: [true, false])
    func names(usesOpenat2: Bool) throws {
        let folder = try ContainedFolder(opening: inside, usesOpenat2: usesOpenat2)
        for name in ["../canary", "/etc/passwd", "cameras/../../canary", ".", "cameras//desk.mov", ""] {
            #expect(throws: FileError.self) { _ = try folder.file(name).openForReading() }
            #expect(throws: FileError.self) { _ = try folder.file(name).create() }
            #expect(throws: FileError.self) { try folder.file(name).remove() }
        }
        let descriptor = try folder.file("cameras/desk.mov").openForReading()
        #expect(descriptor.number >= 0)
    }

    @Test("Only regular files are opened; a FIFO doesn't block", arguments: [true, false])
    func kinds(usesOpenat2: Bool) throws {
        let folder = try ContainedFolder(opening: inside, usesOpenat2: usesOpenat2)
        #expect(mkfifo(inside + "/fifo", 0o600) == 0)
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((inside + "/socket").utf8)
        // The path of the temporary folder can be too long for a socket.
        if path.count < MemoryLayout.size(ofValue: address.sun_path) {
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
            }
            #expect(bound == 0)
        }
        close(socket)
        for (name, kind) in [("fifo", "FIFO"), ("socket", "socket"), ("cameras", "folder")] {
            guard access("\(inside)/\(name)", F_OK) == 0 else { continue }
            for error in [
                refusal { _ = try folder.file(name).openForReading() },
                refusal { _ = try folder.file(name).openForUpdate() },
            ] {
                #expect(error?.description.contains(kind) == true, "\(name)")
            }
        }
    }

    @Test(
        "A draft is a new file: existing links, FIFOs, and drafts are removed, but not their targets"
    )
    func drafts() throws {
        let folder = try ContainedFolder(opening: inside)
        let file = folder.file("manifest.json")
        let draft = inside + "/manifest.json.new"
        func prepare(_ index: Int) throws {
            switch index {
            case 0: #expect(symlink("../canary", draft) == 0)
            case 1: #expect(mkfifo(draft, 0o600) == 0)
            case 2: #expect(link(canary, draft) == 0)
            default: try Data("old".utf8).write(to: URL(fileURLWithPath: draft))
            }
        }
        for index in 0..<4 {
            for keepsDraft in [false, true] {
                try prepare(index)
                try FileReplacement.write(Array("\(index)".utf8), to: file, keepsDraft: keepsDraft)
                #expect(try text(file.path) == "\(index)")
                #expect(try text(canary) == "canary")
                #expect(access(draft, F_OK) != 0)
            }
        }
        // The file itself is also replaced: if it is a symbolic link, the link isn't followed.
        unlink(file.path)
        #expect(symlink("../canary", file.path) == 0)
        try FileReplacement.reserve(1000, for: file)
        try FileReplacement.write(Array("new".utf8), to: file, keepsDraft: true)
        #expect(try text(file.path) == "new" && text(canary) == "canary")
    }

    @Test("A file with several hard links isn't modified in place")
    func hardLinks() throws {
        let folder = try ContainedFolder(opening: inside)
        #expect(link(canary, inside + "/events.ndjson") == 0)
        let error = #expect(throws: FileError.self) { _ = try folder.file("events.ndjson").openForUpdate() }
        #expect(error?.detail.contains("hard link") == true)
        let descriptor = try folder.file("events.ndjson").openForReading()
        #expect(descriptor.number >= 0)
    }

    @Test("Files are written to an open folder even after it has been moved")
    func moved() throws {
        let folder = try ContainedFolder(opening: inside)
        #expect(rename(inside, root + "/elsewhere") == 0)
        #expect(symlink(root, inside) == 0)
        try folder.makeFolder("report/deep")
        try FileReplacement.write(Array("text".utf8), to: folder.file("report/deep/file"))
        #expect(try text(root + "/elsewhere/report/deep/file") == "text")
    }

    @Test(
        "Links in a path chosen by the user are followed, except if the file itself is a link")
    func chosen() throws {
        #expect(symlink("session", root + "/mine") == 0)
        #expect(symlink("../canary", inside + "/made") == 0)
        try FileReplacement.write(Array("made".utf8), to: root + "/mine/made")
        #expect(try text(inside + "/made") == "made" && text(canary) == "canary")
    }
}
