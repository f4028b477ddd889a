import Foundation
import Glibc
import MulticamMedia
import MulticamSession
import MulticamSessionFolder

/// A recording after a crash. Its folder is copied during a recording in simulated time.
final class CrashedRecording {
    let folder: String
    private let scratch: URL

    /// - Parameters:
    ///   - profile: The profile as YAML.
    ///   - second: When the crash happens, in seconds since the start of the recording.
    ///   - names: Files that must exist before the crash, however slow the disk is.
    ///   - steer: Called once per second with the session and the second, before the crash.
    /// - Throws: Errors that occur before the crash.
    init(
        _ profile: String, crashingAt second: Int, having names: [String] = [],
        steer: @escaping @Sendable (MulticamSession, Int) -> Void = { _, _ in }
    ) async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "multicam-crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        self.scratch = scratch
        let folder = scratch.path + "/crashed"
        self.folder = folder
        let host = ControllerHost { session, look in
            steer(session, look)
            guard look == second, let path = session.folderPath else { return }
            let clock = MonotonicClock()
            let limit = clock.now + .seconds(600)
            while !names.allSatisfy({ FileManager.default.fileExists(atPath: "\(path)/\($0)") }),
                clock.now < limit
            {
                clock.sleep(until: clock.now + .milliseconds(20), unless: Cancellation())
            }
            Self.waitUntilWritten(path, until: limit)
            Self.copy(path, to: folder)
        }
        _ = try await Recording(profile, seconds: Double(second) + 1, host: host, steer: host.attach)
    }

    /// - Parameter other: The recording to copy in its current state.
    /// - Throws: An error if there isn't enough space.
    init(copying other: CrashedRecording) throws {
        scratch = FileManager.default.temporaryDirectory.appending(
            path: "multicam-crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        folder = scratch.path + "/crashed"
        try FileManager.default.copyItem(atPath: other.folder, toPath: folder)
    }

    /// Replaces a file's bytes.
    func rewrite(_ name: String, _ change: (Data) throws -> Data) throws {
        let url = URL(fileURLWithPath: path(name))
        try change(Data(contentsOf: url)).write(to: url)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: scratch)
        } catch {
            print("left behind: \(scratch.path): \(error)")
        }
    }

    /// Waits until no file in a folder has grown for a second. Simulated time doesn't advance meanwhile, and
    /// the encoders and disks of a busy computer catch up. A crash then cuts every track at the same point,
    /// no matter how slow the computer is.
    private static func waitUntilWritten(_ path: String, until limit: ClockTime) {
        let clock = MonotonicClock()
        var (sizes, calmLooks) = (fileSizes(in: path), 0)
        while calmLooks < 10, clock.now < limit {
            clock.sleep(until: clock.now + .milliseconds(100), unless: Cancellation())
            let now = fileSizes(in: path)
            calmLooks = now == sizes ? calmLooks + 1 : 0
            sizes = now
        }
    }

    /// Returns the size in bytes of each file below a folder, by path.
    private static func fileSizes(in path: String) -> [String: UInt64] {
        var sizes: [String: UInt64] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
            var status = stat()
            if stat("\(path)/\(name)", &status) == 0 { sizes[name] = UInt64(status.st_size) }
        }
        return sizes
    }

    /// Copies a folder. The draft of the next manifest may be renamed while the folder is copied, so missing
    /// files are skipped.
    private static func copy(_ path: String, to folder: String) {
        let files = FileManager.default
        do {
            let names = try files.subpathsOfDirectory(atPath: path)
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in names.sorted() {
                var isFolder: ObjCBool = false
                guard files.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder) else { continue }
                if isFolder.boolValue {
                    try files.createDirectory(
                        atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
                } else if !name.hasSuffix(".new") {
                    try files.copyItem(atPath: "\(path)/\(name)", toPath: "\(folder)/\(name)")
                }
            }
        } catch {
            print("the crashed recording is not copied: \(error)")
        }
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    var manifest: Manifest {
        get throws {
            try JSONDecoder().decode(
                Manifest.self, from: Data(contentsOf: URL(fileURLWithPath: path("manifest.json"))))
        }
    }

    /// Replaces the manifest, like an edit by a user.
    func edit(_ change: (inout Manifest) -> Void) throws {
        var manifest = try manifest
        change(&manifest)
        try JSONText.pretty(manifest).write(to: URL(fileURLWithPath: path("manifest.json")))
    }

    /// Empties a file, as if its track had just begun.
    func empty(_ name: String) throws {
        try Data().write(to: URL(fileURLWithPath: path(name)))
    }

    /// Sets the start of a track in the manifest and the events.
    func setStart(of file: String, to time: Int64) throws {
        try edit { manifest in
            for index in manifest.tracks.indices where manifest.tracks[index].file == file {
                manifest.tracks[index].first_ns = time
            }
        }
        let url = URL(fileURLWithPath: path("events.ndjson"))
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
            line.contains("\"file\":\"\(file)\"")
                ? "{\"at_ns\":\(time),\"event\":\"split\",\"file\":\"\(file)\"}" : String(line)
        }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
    }

    func recover() throws -> RecoveryReport { try Recovery(path: folder).run() }

    /// Returns the problems found by `verify`, one line for each file that isn't as recorded.
    func faults() throws -> [String] {
        let verification = try FolderVerification(folder: folder)
        return verification.files.compactMap { file in
            let verdict = verification.verdict(file)
            return verdict == .intact ? nil : "\(file.file): \(verdict)"
        }
    }

    func names(in place: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(place)).sorted()
    }
}
