import Foundation
import Glibc
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamWriters
import Testing

@Suite("storage failures")
struct StorageTests {
    static let profile = """
        cameras:
          desk: { device: "virtual:clap?size=320x180", rate: 30 }
          face: { device: "virtual:clap?size=320x180", rate: 30 }
        microphones:
          host: { device: "virtual:clap" }
        program: { size: 320x180, rate: 30, layout: pip, main: desk, inset: face, scale: 0.25 }
        tracks: { cameras: copy, microphones: wav }
        budget: { governor: false }
        """
    static let files = ["cameras/desk.mov", "cameras/face.mov", "program.mp4", "audio/host.wav"]

    /// Returns the duration of each file of a finished recording, measured by ffprobe.
    private func lengths(_ recording: Recording, in folder: String? = nil) throws -> [Double] {
        try Self.files.map { file in
            let path = folder.map { "\($0)/\(file)" } ?? recording.path(file)
            let text = try Reader.run(
                "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
            return try #require(
                Double(String(decoding: text, as: UTF8.self).split(separator: "\n").first ?? ""))
        }
    }

    private func hasEqualLengths(_ lengths: [Double]) -> Bool {
        (lengths.max() ?? 0) - (lengths.min() ?? 0) < 0.001
    }

    /// A computer with the given free disk space. One megabyte is recorded per second.
    private final class DiskSpaceHost: HostReading {
        private let free: @Sendable (_ folder: String, _ recorded: Int64) -> Int64
        private let begin = ConditionLock<ClockTime?>(nil)

        init(free: @escaping @Sendable (_ folder: String, _ recorded: Int64) -> Int64) { self.free = free }

        func read(folder: String, at time: ClockTime) -> HostState {
            let first = begin.withLock { begin in
                begin = begin ?? time
                return begin ?? time
            }
            let recorded = (time - first).count / 1000
            var state = HostState()
            state.disk = DiskSpace(freeBytes: free(folder, recorded), recordedBytes: recorded)
            return state
        }
    }

    @Test(
        "at the reserve, the recording ends properly with complete files of equal length"
    )
    func reserve() async throws {
        let host = DiskSpaceHost { _, recorded in 8_000_000 - recorded }
        let recording = try await Recording(Self.profile, seconds: 20, host: host)
        #expect(recording.manifest.outcome == .storageFailed)
        #expect(recording.result.storageFailures.count == 1)
        #expect(
            recording.result.storageFailures[0].description.contains(
                "the disk is full except for the space reserved to complete"))
        #expect(recording.manifest.ended_by?.contains("the disk is full") == true)
        let seconds = Double(recording.manifest.duration_ns) / 1e9
        #expect((4...9).contains(seconds))
        let lengths = try lengths(recording)
        #expect(hasEqualLengths(lengths) && abs(lengths[0] - seconds) < 0.001)
        for track in recording.manifest.tracks where track.kind != "microphone" {
            #expect(track.frames?.lost["disk"] == nil)
        }
        #expect(
            recording.events.contains {
                $0.contains("disk_minutes") && $0.contains("the disk has space left for")
            })
        try recording.checkSchema()
    }

    /// Makes each chosen file fail from its seventh write on, after about 1.5 s.
    private func failure(_ isChosen: @escaping @Sendable (String) -> Bool)
        -> @Sendable (String, Int64) -> Int32
    {
        let counts = ConditionLock<[String: Int]>([:])
        return { path, _ in
            guard isChosen(path) else { return 0 }
            return counts.withLock { counts in
                counts[path, default: 0] += 1
                return counts[path, default: 0] > 6 ? EIO : 0
            }
        }
    }

    @Test("a file on a failed disk ends early, the others continue to the end, and each is named")
    func oneFile() async throws {
        let recording = try await Recording(
            Self.profile, seconds: 4,
            options: { options in
                options.beforeWrite = failure { $0.hasSuffix("face.mov") }
            })
        #expect(recording.manifest.outcome == .storageFailed)
        #expect(recording.result.storageFailures.map(\.path) == [recording.path("cameras/face.mov")])
        let face = try recording.track("face")
        #expect(face.failure?.contains("Input/output error") == true)
        let lengths = try lengths(recording)
        #expect(lengths[1] > 0.4 && lengths[1] < 3.9)
        #expect(hasEqualLengths([lengths[0], lengths[2], lengths[3], 4]))
        let frames = try #require(face.frames)
        #expect(frames.written == Int((lengths[1] * 30).rounded()))
        #expect((frames.lost["disk"] ?? 0) == 120 - frames.written)
        #expect(recording.events.contains { $0.contains("The rest of the recording continues") })
        let files = try #require(recording.manifest.files)
        #expect(files.filter { !$0.verified }.map(\.file) == ["cameras/face.mov"])
        let verification = try FolderVerification(folder: recording.folder)
        #expect(
            files.map { verification.verdict($0) }
                == files.map {
                    $0.file == "cameras/face.mov" ? .unfinished($0.fault ?? "") : .intact
                })
    }

    @Test("a backup is identical to the recording, byte for byte")
    func backup() async throws {
        let recording = try await Recording(Self.profile, seconds: 3, backup: .all)
        let backup = try #require(recording.result.backup)
        #expect(backup.storageFailures.isEmpty && recording.manifest.outcome == .finished)
        #expect(backup.folder != recording.folder)
        #expect(
            URL(fileURLWithPath: backup.folder).lastPathComponent
                == URL(fileURLWithPath: recording.folder).lastPathComponent)
        for file in Self.files + ["events.ndjson", "report/sync.svg"] {
            #expect(
                try recording.bytes(file)
                    == Data(contentsOf: URL(fileURLWithPath: "\(backup.folder)/\(file)")),
                "\(file)")
        }
        let manifest = try recording.manifest(in: backup.folder)
        #expect(manifest.tracks == recording.manifest.tracks && manifest.outcome == .finished)
        #expect(manifest.other_folder?.folder == recording.folder)
        #expect(recording.manifest.other_folder?.folder == backup.folder)
        let files = try #require(recording.manifest.files)
        #expect(
            files.map(\.file) == Self.files.sorted() && files.allSatisfy { $0.verified && $0.fault == nil })
        #expect(manifest.files == files)
        let verification = try FolderVerification(folder: backup.folder)
        #expect(files.allSatisfy { verification.verdict($0) == .intact })
        try recording.checkSchema()
    }

    @Test("a backup of the program contains only the program and a matching manifest")
    func programCopy() async throws {
        let recording = try await Recording(Self.profile, seconds: 2, backup: .program)
        let backup = try #require(recording.result.backup)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: backup.folder).sorted() == [
                "events.ndjson", "manifest.json", "program.mp4", "report",
            ])
        #expect(try recording.manifest(in: backup.folder).tracks.map(\.name) == ["program"])
        #expect(recording.manifest.tracks.count == 4)
    }

    @Test("if one of two disks fails, the other one continues to the end", arguments: [0, 1])
    func eitherFails(_ failing: Int) async throws {
        let recording = try await Recording(
            Self.profile, seconds: 4, backup: .all,
            options: { options in
                options.beforeWrite = failure { $0.contains("/backups/") == (failing == 1) }
            })
        let backup = try #require(recording.result.backup)
        let (failed, whole) =
            failing == 0 ? (recording.folder, backup.folder) : (backup.folder, recording.folder)
        #expect(hasEqualLengths(try lengths(recording, in: whole) + [4]))
        #expect(try recording.manifest(in: whole).outcome == .finished)
        let manifest = try recording.manifest(in: failed)
        #expect(manifest.outcome == .storageFailed && manifest.other_folder?.outcome == .finished)
        #expect(manifest.tracks.allSatisfy { $0.failure?.contains("Input/output error") == true })
        #expect(try lengths(recording, in: failed).allSatisfy { $0 < 3.9 })
        let failures = failing == 0 ? recording.result.storageFailures : backup.storageFailures
        #expect(failures.count == 4 && !recording.result.isStored)
    }

    @Test(
        "if one of two disks is full, its files end together and complete, and the other one continues",
        arguments: [0, 1])
    func eitherIsFull(_ full: Int) async throws {
        let host = DiskSpaceHost { folder, recorded in
            folder.contains("/backups/") == (full == 1) ? 7_000_000 - recorded : 1 << 40
        }
        let recording = try await Recording(
            Self.profile, seconds: 9, host: host, clock: SimulatedClock(), backup: .all)
        let backup = try #require(recording.result.backup)
        let (tight, wide) = full == 0 ? (recording.folder, backup.folder) : (backup.folder, recording.folder)
        #expect(hasEqualLengths(try lengths(recording, in: wide) + [9]))
        let lengths = try lengths(recording, in: tight)
        #expect(hasEqualLengths(lengths) && lengths[0] > 2 && lengths[0] < 8)
        let manifest = try recording.manifest(in: tight)
        #expect(manifest.outcome == .storageFailed)
        #expect(manifest.tracks.allSatisfy { abs(Double($0.duration_ns) / 1e9 - lengths[0]) < 0.001 })
        for track in manifest.tracks {
            guard let frames = track.frames else { continue }
            #expect(frames.written == Int((lengths[0] * 30).rounded()))
        }
        #expect(recording.events.contains { $0.contains("The recording continues in \(wide)") })
    }

    /// Blocks writes on one disk until the other's manifest is final, for at most a minute.
    ///
    /// - Parameter backupHangs: Whether the backup's disk hangs, from its first write on. If it is `false`,
    ///   the recording's disk hangs from the third write to each file on, when the file has content.
    /// - Returns: A closure for `RecordingOptions.beforeWrite`.
    private func hangsUntilTheOtherIsDone(backupHangs: Bool) -> @Sendable (String, Int64) -> Int32 {
        let counts = ConditionLock<[String: Int]>([:])
        return { path, _ in
            let isBackup = path.contains("/backups/")
            let count = counts.withLock { counts in
                counts[path, default: 0] += 1
                return counts[path, default: 0]
            }
            guard isBackup == backupHangs, isBackup || count > 2,
                let root = path.range(of: isBackup ? "/backups/session/" : "/session/")
            else { return 0 }
            let other =
                path[..<root.lowerBound] + (isBackup ? "/session" : "/backups/session") + "/manifest.json"
            let clock = MonotonicClock()
            let limit = clock.now + .seconds(60)
            while clock.now < limit {
                let manifest = FileManager.default.contents(atPath: String(other)) ?? Data()
                if String(decoding: manifest, as: UTF8.self).contains("\"outcome\" : \"finished\"") {
                    return 0
                }
            }
            return EIO
        }
    }

    @Test(
        "a disk that hangs at the beginning or at the end does not keep the other folder from its start or its final manifest",
        arguments: [false, true])
    func hangs(backupHangs: Bool) async throws {
        let recording = try await Recording(
            Self.profile, seconds: 2, backup: .all,
            options: { $0.beforeWrite = hangsUntilTheOtherIsDone(backupHangs: backupHangs) })
        let backup = try #require(recording.result.backup)
        #expect(recording.result.isStored)
        for folder in [recording.folder, backup.folder] {
            #expect(hasEqualLengths(try lengths(recording, in: folder) + [2]))
            let manifest = try recording.manifest(in: folder)
            #expect(manifest.outcome == .finished && manifest.other_folder?.outcome == .finished)
            let events = try String(contentsOfFile: folder + "/events.ndjson", encoding: .utf8)
            #expect(events.split(separator: "\n").last?.contains("\"finished\"") == true)
        }
    }

    @Test(
        "T0 is chosen after all files on the recording's own disk exist, however slow the disk is"
    )
    func slowBeginning() async throws {
        let clock = SimulatedClock()
        let made = ConditionLock<(paths: Set<String>, at: ClockTime)>(([], ClockTime(nanoseconds: 0)))
        let recording = try await Recording(
            Self.profile, seconds: 2, clock: clock,
            options: { options in
                options.beforeWrite = { path, _ in
                    // The first write to a file creates it.
                    guard made.withLock({ $0.paths.insert(path).inserted }) else { return 0 }
                    clock.sleep(until: clock.now + .seconds(3), unless: Cancellation())
                    made.withLock { $0.at = clock.now }
                    return 0
                }
            })
        #expect(made.withLock { $0.paths.count } == Self.files.count)
        #expect(recording.manifest.t0_monotonic_ns >= made.withLock { $0.at.nanoseconds })
        #expect(recording.manifest.gaps.isEmpty)
        #expect(hasEqualLengths(try lengths(recording) + [2]))
        for track in recording.manifest.tracks { #expect(track.frames?.captured ?? 60 == 60) }
    }

    @Test("a recording that cannot start leaves no thread behind")
    func noThreadIsLeft() async throws {
        let profile = Self.profile.replacingOccurrences(of: "host:", with: "leaky:")
        await #expect(throws: RecordingError.self) {
            _ = try await Recording(
                profile, seconds: 1,
                options: { options in
                    options.beforeWrite = { path, _ in path.hasSuffix("/program.mp4") ? EIO : 0 }
                })
        }
        func isThere() throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").contains { thread in
                // A thread may end during the check.
                let name = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/comm") ?? Data()
                return String(decoding: name, as: UTF8.self).hasPrefix("write:leaky.wav")
            }
        }
        let clock = MonotonicClock()
        let limit = clock.now + .seconds(20)
        while try isThere(), clock.now < limit {}
        #expect(try !isThere())
    }

    @Test("a recording is never its own backup")
    func sameFolder() async throws {
        await #expect(throws: RecordingError.self) {
            _ = try await Recording(Self.profile, seconds: 1, backup: .all, backsUpIntoItself: true)
        }
    }

    @Test("a backup of a missing program is refused")
    func noProgram() async throws {
        await #expect(throws: RecordingError.nothingToBackUp) {
            _ = try await Recording(
                "cameras: { a: { device: \"virtual:clap\", size: 320x180 } }", seconds: 1, backup: .program)
        }
    }

    @Test("parts never take the name of another role's file")
    func roleNamedLikeAPart() async throws {
        let recording = try await Recording(
            """
            cameras:
              cam: { device: "virtual:clap", size: 320x180, rate: 30 }
              cam-2: { device: "virtual:clap", size: 320x180, rate: 30 }
            microphones: { mic: { device: "virtual:clap" }, mic-2: { device: "virtual:clap" } }
            """, seconds: 3, steer: { $0.split() })
        #expect(recording.result.isStored)
        let parts = recording.manifest.tracks.map { $0.parts ?? [] }
        #expect(
            parts == [
                ["cameras/cam-3.mov"], ["cameras/cam-2-2.mov"], ["audio/mic-3.wav"], ["audio/mic-2-2.wav"],
            ])
        #expect(recording.manifest.tracks.compactMap(\.samples?.written) == [144_000, 144_000])
    }
}
