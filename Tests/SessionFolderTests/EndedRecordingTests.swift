import Foundation
import Glibc
import MulticamMedia
import MulticamSystem
import Testing

@testable import MulticamSessionFolder

@Suite("Renaming and deleting recordings")
struct EndedRecordingTests {
    private final class Place {
        let path: String

        init() throws {
            let place = FileManager.default.temporaryDirectory.appending(path: "ended-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            path = place.resolvingSymlinksInPath().path
        }

        deinit {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                print("\(path) remains: \(error)")
            }
        }

        /// Creates a session folder with a manifest.
        func recording(_ name: String, outcome: Manifest.Outcome = .finished) throws -> String {
            let folder = "\(path)/\(name)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            var manifest = Manifest(
                multicam: "0.0.0", profile: "pip", started: "2026-11-21T14:23:10.000000000+01:00",
                t0_monotonic_ns: 0, duration_ns: 10_000_000_000, alignment_delay_ns: 100_000_000,
                outcome: outcome, machine: Manifest.Machine(host: "h", system: "s", processors: 1),
                devices: [], tracks: [], cost: nil, governor: [], markers: [], gaps: [])
            manifest.title = "Before"
            try JSONText.pretty(manifest).write(to: URL(filePath: "\(folder)/manifest.json"))
            try Data(count: 1000).write(to: URL(filePath: "\(folder)/program.mp4"))
            return folder
        }
    }

    @Test("a new title is in the manifest and in the list, and the folder keeps its name")
    func renames() throws {
        let place = try Place()
        let folder = try place.recording("talk")
        try EndedRecording(folder).rename(to: "After “lunch”")
        let entry = try #require(try RecordingEntry.list(place.path).first)
        #expect(entry.title == "After “lunch”")
        #expect(entry.folder == "talk")
        try EndedRecording(folder).rename(to: "")
        #expect(try RecordingEntry.list(place.path).first?.title == nil)
        for title in [String(repeating: "x", count: 201), "two\nlines", "\u{1B}[31m"] {
            #expect(throws: FileError.self) { try EndedRecording(folder).rename(to: title) }
        }
    }

    @Test("a running recording can't be opened for changes, and neither can another folder")
    func refuses() throws {
        let place = try Place()
        let folder = try place.recording("talk", outcome: .recording)
        let events = open("\(folder)/events.ndjson", O_CREAT | O_RDWR, 0o600)
        #expect(flock(events, LOCK_EX | LOCK_NB) == 0)
        let error = #expect(throws: FileError.self) { try EndedRecording(folder) }
        #expect(error?.description.contains("still running") == true)
        close(events)
        #expect(throws: FileError.self) { try EndedRecording(folder).rename(to: "After") }
        try FileManager.default.createDirectory(
            atPath: "\(place.path)/holiday", withIntermediateDirectories: true)
        #expect(throws: FileError.self) { try EndedRecording("\(place.path)/holiday") }
        #expect(throws: FileError.self) { try EndedRecording("\(place.path)/none") }
    }

    @Test(
        "a recording isn't deleted while another process uses it, even if its manifest is damaged",
        arguments: [true, false])
    func used(isDamagedBefore: Bool) throws {
        let place = try Place()
        let folder = try place.recording("talk")
        if isDamagedBefore { try Data("{".utf8).write(to: URL(filePath: "\(folder)/manifest.json")) }
        let events = open("\(folder)/events.ndjson", O_CREAT | O_RDWR, 0o600)
        let recording = try EndedRecording(folder)
        #expect(flock(events, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: FileError.self) { try recording.deletePermanently() }
        #expect(throws: FileError.self) { try recording.moveToTrash() }
        if isDamagedBefore { #expect(throws: FileError.self) { try EndedRecording(folder) } }
        #expect(access("\(folder)/program.mp4", F_OK) == 0)
        close(events)
        try recording.deletePermanently()
        #expect(access(folder, F_OK) != 0)
    }

    @Test(
        "a recording isn't deleted while programs use it, and isn't used while it is being deleted or recorded"
    )
    func usedByPrograms() throws {
        let place = try Place()
        let folder = try place.recording("talk")
        #expect(try RecordingUse.begin(folder) == nil, "there is no event file to lock")
        let events = open("\(folder)/events.ndjson", O_CREAT | O_RDWR, 0o600)
        defer { close(events) }
        var uses = [try RecordingUse.begin(folder), try RecordingUse.begin(folder)]
        #expect(FolderState(of: folder) == .ended)
        let refusal = #expect(throws: FileError.self) {
            _ = try EventJournal(folder: ContainedFolder(opening: folder))
        }
        #expect(refusal?.description.contains("multicam render") == true)
        for _ in 0..<2 {
            let error = #expect(throws: FileError.self) { try EndedRecording(folder).deletePermanently() }
            #expect(error?.description.contains("multicam render") == true)
            #expect(throws: FileError.self) { try EndedRecording(folder).moveToTrash() }
            #expect(uses.removeLast() != nil)
        }
        #expect(flock(events, LOCK_EX | LOCK_NB) == 0)
        let error = #expect(throws: FileError.self) { try EndedRecording(folder).deletePermanently() }
        #expect(error?.detail == FolderState.runningRemedy)
        #expect(throws: FileError.self) { try RecordingUse.begin(folder) }
        flock(events, LOCK_UN)
        try EndedRecording(folder).deletePermanently()
        #expect(access(folder, F_OK) != 0)
    }

    @Test("deleting permanently removes the folder, but not what its links refer to")
    func deletes() throws {
        let place = try Place()
        let folder = try place.recording("talk")
        try Data("mine".utf8).write(to: URL(filePath: "\(place.path)/mine"))
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link", withDestinationPath: "\(place.path)/mine")
        try EndedRecording(folder).deletePermanently()
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["mine"])
    }

    @Test("the home trash receives a folder of the same file system with its origin, and names don't collide")
    func homeTrash() throws {
        let place = try Place()
        let environment = ["XDG_DATA_HOME": "\(place.path)/data", "DISPLAY": ":0"]
        let trash = try #require(Trash(for: place.path, environment: environment))
        #expect(trash == Trash(for: place.path, environment: environment))
        #expect(trash.path == "\(place.path)/data/Trash" && trash.top == nil)
        #expect(access("\(place.path)/data", F_OK) != 0, "finding the trash creates nothing")
        // Entries without a description, which another program left behind.
        for orphan in ["a talk-2", "a talk-3/files"] {
            try FileManager.default.createDirectory(
                atPath: "\(trash.path)/files/\(orphan)", withIntermediateDirectories: true)
        }
        for expected in ["a talk", "a talk-4"] {
            let folder = try place.recording("a talk")
            try trash.move(folder)
            #expect(access(folder, F_OK) != 0)
            #expect(access("\(trash.path)/files/\(expected)/manifest.json", F_OK) == 0)
            let note = try String(contentsOfFile: "\(trash.path)/info/\(expected).trashinfo", encoding: .utf8)
            let lines = note.split(separator: "\n")
            #expect(lines.first == "[Trash Info]")
            #expect(lines[1] == "Path=\(place.path)/a%20talk")
            #expect(lines[2].wholeMatch(of: /DeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) != nil)
        }
    }

    @Test("a shared trash is used only if it is sticky and usable, and finding a trash creates nothing")
    func sharedTrash() throws {
        let place = try Place()
        let own = "\(place.path)/.Trash-\(getuid())"
        let shared = "\(place.path)/.Trash"
        #expect(Trash.trash(atRoot: place.path) == own)
        #expect(mkdir(shared, 0o700) == 0)
        #expect(Trash.trash(atRoot: place.path) == own)
        #expect(chmod(shared, 0o1777) == 0)
        #expect(Trash.trash(atRoot: place.path) == "\(shared)/\(getuid())")
        try Data().write(to: URL(filePath: "\(shared)/\(getuid())"))
        #expect(Trash.trash(atRoot: place.path) == own)
        #expect(access(own, F_OK) != 0)
        try Data().write(to: URL(filePath: own))
        #expect(Trash.trash(atRoot: place.path) == nil)
    }

    @Test("a computer without a desktop has no trash, unless the user already has one")
    func noTrash() throws {
        let place = try Place()
        let environment = ["XDG_DATA_HOME": "\(place.path)/data"]
        #expect(Trash(for: place.path, environment: environment) == nil)
        try FileManager.default.createDirectory(
            atPath: "\(place.path)/data/Trash", withIntermediateDirectories: true)
        #expect(Trash(for: place.path, environment: environment) != nil)
        #expect(Trash(for: place.path, environment: ["DISPLAY": ":0"]) == nil)
    }

    @Test("the list has the size of all files, the verdict's state, and its sentences")
    func entries() throws {
        let place = try Place()
        let folder = try place.recording("talk")
        let manifest = try Data(contentsOf: URL(filePath: "\(folder)/manifest.json"))
        let entry = try #require(try RecordingEntry.list(place.path).first)
        #expect(entry.bytes == Int64(1000 + manifest.count))
        #expect(entry.state == .complete && entry.level == "good")
        #expect(entry.sentences.first == "Complete." && entry.duration_ns == 10_000_000_000)
        var broken = try Manifest(reading: Array(manifest))
        broken.tracks = [
            Manifest.Track(
                name: "desk", kind: "camera", file: "cameras/desk.mov", stream: 0, codec: "mjpeg",
                first_ns: 0,
                duration_ns: 10_000_000_000,
                frames: Manifest.Frames(
                    written: 300, captured: 100, decimated: 0, duplicated: 0, slate: 0,
                    lost: ["disconnected": 200]))
        ]
        try JSONText.pretty(broken).write(to: URL(filePath: "\(folder)/manifest.json"))
        let incomplete = try #require(try RecordingEntry.list(place.path).first)
        #expect(incomplete.state == .incomplete && incomplete.level == "bad")
        #expect(incomplete.sentences.first?.hasPrefix("Incomplete: camera desk is missing") == true)
        #expect(incomplete.verdict == incomplete.sentences.joined(separator: " "))
    }

    @Test("the files of a folder are listed without links, drafts, unfinished uploads, and hidden files")
    func files() throws {
        let place = try Place()
        let folder = try place.recording("talk")
        try FileManager.default.createDirectory(
            atPath: "\(folder)/cameras", withIntermediateDirectories: true)
        for name in ["cameras/desk.mov", "cameras/desk-phone-7.part", ".hidden", "manifest.json.new"] {
            try Data(count: 7).write(to: URL(filePath: "\(folder)/\(name)"))
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link.mov", withDestinationPath: "/etc/passwd")
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/up", withDestinationPath: "..")
        mkfifo("\(folder)/pipe", 0o600)
        let files = SessionFile.list(in: try ContainedFolder(opening: folder))
        #expect(files.map(\.path) == ["cameras/desk.mov", "manifest.json", "program.mp4"])
        #expect(files[0].byteCount == 7)
    }
}
