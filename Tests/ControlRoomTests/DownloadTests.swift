import Foundation
import Glibc
import MulticamMedia
import MulticamSessionFolder
import MulticamSystem
import Testing

@testable import MulticamControlRoom

@Suite("Downloads of recordings")
final class DownloadTests {
    private let output: String

    init() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "downloads-\(UUID().uuidString)")
        output = place.path
        try FileManager.default.createDirectory(atPath: session, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: session + "/edit", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: session + "/cameras", withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: output) } catch {
            print("\(output) remains: \(error)")
        }
    }

    private var session: String { output + "/talk" }

    private func write(_ bytes: Data, to path: String) throws {
        try bytes.write(to: URL(filePath: "\(session)/\(path)"))
    }

    private func writeManifest(programParts: Int = 0) throws {
        var program: [Manifest.Track] = []
        if programParts > 0 {
            var track = Manifest.Track(
                name: "program", kind: "program", file: "program.mp4", stream: 0, codec: "h264", first_ns: 0,
                duration_ns: 10_000_000_000)
            track.parts = (1..<programParts).map { "program-\($0 + 1).mp4" }
            program = [track]
        }
        let track = Manifest.Track(
            name: "desk", kind: "camera", file: "cameras/desk.mov", stream: 0, codec: "mjpeg", first_ns: 0,
            duration_ns: 10_000_000_000)
        let manifest = Manifest(
            multicam: "0.0.0", profile: "pip", started: "2026-11-21T14:23:10.000000000+01:00",
            t0_monotonic_ns: 0, duration_ns: 10_000_000_000, alignment_delay_ns: 100_000_000,
            outcome: .finished, machine: Manifest.Machine(host: "h", system: "s", processors: 1),
            devices: [], tracks: program + [track], cost: nil, governor: [], markers: [], gaps: [])
        try write(JSONText.pretty(manifest), to: "manifest.json")
    }

    private func archive() throws -> ZipArchive {
        ZipArchive(try ContainedFolder(opening: session), named: "talk")
    }

    /// Reads content in pieces of an odd size.
    private func bytes(of content: some DownloadContent) throws -> Data {
        var found = Data()
        while Int64(found.count) < content.byteCount {
            let count = min(777, Int(content.byteCount) - found.count)
            let piece = try #require(content.read(count, at: Int64(found.count), dropsCache: false))
            #expect(piece.count == count)
            found += piece
        }
        return found
    }

    @Test("an archive has the announced size, and contains all files with their checksums")
    func archived() throws {
        try write(Data("123456789".utf8), to: "cameras/desk.mov")
        try write(Data(), to: "edit/session.edl")
        try write(Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }), to: "program.mp4")
        let content = try archive()
        let data = try bytes(of: content)
        #expect(content.tag == nil)
        #expect(content.read(1, at: content.byteCount, dropsCache: false) ?? Data() == Data())
        func number(_ count: Int, at place: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(data[place + $1]) << (8 * $1) }
        }
        let end = data.count - 22
        #expect(number(4, at: end) == 0x0605_4B50 && number(2, at: end + 10) == 3)
        var place = number(4, at: end + 16)
        var found: [String: (checksum: Int, size: Int, offset: Int)] = [:]
        for _ in 0..<3 {
            #expect(number(4, at: place) == 0x0201_4B50)
            let length = number(2, at: place + 28)
            let name = String(decoding: data[place + 46..<place + 46 + length], as: UTF8.self)
            found[name] = (number(4, at: place + 16), number(4, at: place + 24), number(4, at: place + 42))
            place += 46 + length
        }
        #expect(place == end)
        #expect(
            found.keys.sorted() == ["talk/cameras/desk.mov", "talk/edit/session.edl", "talk/program.mp4"])
        // The check value of CRC-32.
        let desk = try #require(found["talk/cameras/desk.mov"])
        #expect(desk.checksum == 0xCBF4_3926 && desk.size == 9)
        let start = desk.offset + 30 + "talk/cameras/desk.mov".utf8.count
        #expect(data[start..<start + 9] == Data("123456789".utf8))
        #expect(found["talk/edit/session.edl"]?.checksum == 0)
        // Programs that extract from a stream need the size of a stored file before its bytes.
        #expect(number(4, at: desk.offset + 18) == 9 && number(2, at: desk.offset + 6) & 8 == 8)
        let empty = try #require(found["talk/edit/session.edl"]?.offset)
        #expect(number(2, at: empty + 6) & 8 == 0, "an empty file has no descriptor")
    }

    @Test("an archive ends if a file changes its size, and never contains what a link refers to")
    func changed() throws {
        try write(Data(count: 5000), to: "cameras/desk.mov")
        try FileManager.default.createSymbolicLink(
            atPath: session + "/edit/secret.mp4", withDestinationPath: "/etc/passwd")
        let content = try archive()
        try write(Data(count: 4000), to: "cameras/desk.mov")
        #expect(content.read(10_000, at: 0, dropsCache: false) == nil)
        let again = try archive()
        #expect(!String(decoding: try bytes(of: again), as: UTF8.self).contains("secret"))
        // The checksums require that the archive is read in order.
        #expect(try archive().read(10, at: 5, dropsCache: false) == nil)
    }

    @Test("an archive of files and offsets beyond 4 GiB announces a size that includes ZIP64 fields")
    func large() throws {
        let number = open(session + "/cameras/desk.mov", O_CREAT | O_WRONLY, 0o600)
        #expect(ftruncate(number, 5 << 30) == 0)
        close(number)
        try write(Data(count: 10), to: "program.mp4")
        // Header, descriptor, and record of each file, and the ZIP64 and normal end records.
        let (first, second) = (
            Int64("talk/cameras/desk.mov".utf8.count), Int64("talk/program.mp4".utf8.count)
        )
        let large = (30 + first + 20) + (5 << 30) + 24 + (46 + first + 4 + 16)
        let small = (30 + second) + 10 + 16 + (46 + second + 4 + 8)
        #expect(try archive().byteCount == large + small + 56 + 20 + 22)
    }

    @Test("a program of too many parts isn't joined, and no part is opened")
    func manyParts() throws {
        try writeManifest(programParts: 201)
        var library = RecordingLibrary(output)
        let recording = try library.recording("talk")
        let refusal = #expect(throws: RecordingRefusal.self) { try library.program(of: recording) }
        #expect(refusal?.status == 409 && refusal?.text.contains("Download the parts separately.") == true)
    }

    @Test("the list of downloads has the kind, track, and size of each file")
    func listed() throws {
        try writeManifest()
        for (path, count) in [
            ("cameras/desk.mov", 7), ("edit/podcast.m4a", 1), ("edit/render-1.mp4", 2),
            ("edit/session.otio", 3),
            ("edit/cut.json", 4),
        ] {
            try write(Data(count: count), to: path)
        }
        var library = RecordingLibrary(output)
        let recording = try library.recording("talk")
        let list = try library.downloads(of: recording, named: "talk")
        let kinds = Dictionary(uniqueKeysWithValues: list.files.map { ($0.path, $0.kind) })
        #expect(
            kinds == [
                "cameras/desk.mov": "camera", "edit/podcast.m4a": "podcast", "edit/render-1.mp4": "render",
                "edit/session.otio": "project", "edit/cut.json": "other", "manifest.json": "other",
            ])
        #expect(list.files.first { $0.kind == "camera" }?.track == "desk")
        #expect(list.files.first { $0.kind == "camera" }?.bytes == 7)
        #expect(list.program == nil && list.program_error == nil)
        #expect(list.archive.bytes == (try archive()).byteCount)
        #expect(throws: RecordingRefusal.self) { try library.program(of: recording) }
    }
}
