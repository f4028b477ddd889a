import Foundation
import MulticamSessionFolder
import Testing

@testable import MulticamGroup

@Suite("Files that `multicam collect` accepts from a node")
struct RecordingCollectorTests {
    private static func manifest(file: String = "cameras/desk.mov", files: String = "") throws -> Manifest {
        try Manifest(
            reading: Array(
                """
                {"schema": 1, "multicam": "0.2.0", "profile": "p", "started": "2026-11-21T14:23:10Z", "t0_monotonic_ns": 1,
                 "duration_ns": 1000000000, "alignment_delay_ns": 1, "outcome": "finished",
                 "machine": {"host": "h", "system": "s", "processors": 1}, "devices": [], "governor": [], "markers": [],
                 "gaps": [], \(files)
                 "tracks": [{"name": "desk", "kind": "camera", "file": \(String(decoding: try JSONEncoder().encode(file), as: UTF8.self)), "stream": 0, "codec": "mjpeg",
                 "width": 64, "height": 48, "rate": 30, "rotation": 0, "first_ns": 0, "duration_ns": 1000000000}]}
                """.utf8))
    }

    @Test(
        "only files named in the manifest, and their later parts, are fetched",
        arguments: [
            ("manifest.json", true), ("cameras/desk.mov", true), ("cameras/desk-2.mov", true),
            ("cameras/desk-02.mov", false), ("cameras/other.mov", false), ("report/sync.svg", true),
            ("edit/session.edl", true), ("edit/run.sh", false), (".ssh/authorized_keys", false),
            ("cameras/desk.mov.sh", false),
        ])
    func names(path: String, isAllowed: Bool) throws {
        #expect(CollectedFiles(try Self.manifest()).allows(path) == isAllowed)
    }

    @Test(
        "a path in the manifest that leaves the folder or contains special characters isn't fetched",
        arguments: [
            "../desk.mov", "/etc/passwd", "cameras/../../x.mov", "cameras/\u{1b}[2J.mov", "cameras/*.mov",
            "-e.mov",
            "cameras/.hidden.mov",
        ])
    func paths(path: String) throws {
        let files = CollectedFiles(try Self.manifest(file: path))
        #expect(!files.allows(path))
        #expect(!files.rules.contains { $0.contains(path) })
    }

    @Test("the sizes in the manifest and the free space limit the fetched amount")
    func sizes() throws {
        let files = CollectedFiles(
            try Self.manifest(
                files: #""files": [{"file": "cameras/desk.mov", "bytes": 5000000, "verified": true}],"#))
        #expect(files.mostBytes(free: .max / 2) == 5_000_000 + 1 << 30)
        #expect(files.mostBytes(free: 1000) == 1000)
    }

    @Test("links, pipes and unrelated files are removed or rejected")
    func tree() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
        defer { _ = Result { try FileManager.default.removeItem(at: place) } }
        let tree = CollectedTree(path: place.path)
        try tree.make()
        try FileManager.default.createDirectory(
            at: place.appending(path: "cameras"), withIntermediateDirectories: true)
        for name in ["cameras/desk.mov", "cameras/evil.sh"] {
            try Data(count: 100).write(to: place.appending(path: name))
        }
        truncate(place.appending(path: "cameras/evil.sh").path, 3 << 30)
        #expect(tree.byteCount == 100 + 3 << 30)
        #expect(mkfifo(place.appending(path: "cameras/pipe").path, 0o600) == 0)
        #expect(symlink("/etc/passwd", place.appending(path: "manifest.json").path) == 0)
        #expect(throws: GroupError.self) { try tree.make() }
        let files = CollectedFiles(try Self.manifest())
        let removed = try tree.removeAll { !files.allows($0) }
        #expect(Set(removed) == ["cameras/evil.sh", "cameras/pipe", "manifest.json"])
        #expect(FileManager.default.fileExists(atPath: "/etc/passwd"))
        #expect(FileManager.default.fileExists(atPath: place.appending(path: "cameras/desk.mov").path))
        try tree.make()
    }
}
