internal import Containers
internal import Glibc
public import Media

/// Compares the files of a session folder with its manifest: whether they hold the bytes that were recorded. It reads every
/// byte, so use it on a thread that may block on the disk.
public struct FolderVerification: Sendable {
    /// State of one file.
    public enum FileVerdict: Sendable, Equatable {
        /// The file holds the bytes that were recorded.
        case whole
        /// The file could not be finished; the sentence says why.
        case unfinished(String)
        /// The file is not what was recorded; the sentence says how.
        case damaged(String)
        /// The file cannot be read, for example without permission, so its state is unknown.
        case unreadable(FileError)
    }

    /// Path of the session folder.
    public let folder: String
    /// Entries of all files in the manifest.
    public let files: [Manifest.File]
    /// The verdict on the recording when it was made.
    public let recording: Verdict
    private let manifest: Manifest

    /// Reads the manifest of a folder.
    ///
    /// - Throws: `FileError` "read" when the manifest cannot be read, and when the recording did not end or lists no files with
    ///   checksums.
    public init(folder: String) throws(FileError) {
        self.folder = folder
        let path = folder + "/manifest.json"
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.bytes(of: path, atMost: Manifest.largestByteCount)
        } catch {
            if error.isPermission { throw FileError(path: path, operation: "read", errno: error.errno) }
            throw FileError(
                path: path, operation: "read",
                detail: FolderState(of: folder).remedy(for: folder)
                    ?? "it cannot be opened. Name the folder of a recording, as `record` prints it.")
        }
        let manifest: Manifest
        do throws(ManifestFault) {
            manifest = try Manifest(reading: bytes)
        } catch {
            throw FileError(
                path: path, operation: "read",
                detail:
                    "it is no manifest of a recording: it \(error.reason). Name the folder that `record` printed."
            )
        }
        guard let files = manifest.files else {
            throw FileError(
                path: path, operation: "read",
                detail: FolderState(of: folder).remedy(for: folder)
                    ?? "it lists no checksums: it is of an older version.")
        }
        guard !files.isEmpty else {
            throw FileError(
                path: path, operation: "read",
                detail: "it lists no files: there is nothing that could be held against it.")
        }
        self.files = files
        self.manifest = manifest
        recording = Verdict(manifest)
    }

    /// The filling that stands in a file for missing audio or frames, for example `0.42 s of filled silence`; `nil`
    /// where nothing was missing.
    public func filling(of file: Manifest.File) -> String? {
        let tracks = manifest.tracks.filter { $0.file == file.file || $0.parts?.contains(file.file) ?? false }
        let whole = tracks.contains { $0.parts != nil } ? " in all its parts" : ""
        var parts: [String] = []
        let samples = tracks.compactMap(\.samples).reduce(0) { $0 + Double(max($1.filled, 0)) }
        if samples > 0 {
            let length = TrackLosses.seconds(samples / Double(AudioFormat.sessionRate))
            parts.append("\(length) s of filled silence")
        }
        let lost = tracks.compactMap(\.frames).flatMap(\.lost.values).reduce(0) { $0 + Double(max($1, 0)) }
        if lost > 0 {
            let frames = TrackLosses.whole(lost)
            parts.append(
                "\(frames) missing frame\(lost == 1 ? "" : "s"), which earlier frames or slates stand for")
        }
        return parts.isEmpty ? nil : parts.joined(separator: " and ") + whole
    }

    /// Reads a file and compares it with its entry; blocks on the disk.
    ///
    /// - Parameters:
    ///   - file: The file's entry in the manifest.
    ///   - progress: Called with the bytes that were read since the last call, on this thread.
    /// - Returns: Whether it is what was recorded.
    public func verdict(_ file: Manifest.File, progress: (Int64) -> Void = { _ in }) -> FileVerdict {
        guard file.file.isPathWithin else {
            return .damaged("its path leads out of the folder.")
        }
        guard let checksum = file.xxh3_128, let start = file.hashed_from else {
            return .unfinished(
                file.fault
                    ?? (file.lacksChecksum
                        ? "its checksum was never computed. Run `multicam recover \(folder.shellQuoted())`."
                        : "it was not finished."))
        }
        let path = "\(folder)/\(file.file)"
        do throws(FileError) {
            let found = try FileVerification.checksum(of: path, from: start, progress: progress)
            guard found.byteCount == file.bytes else {
                return .damaged("it has \(found.byteCount) bytes, \(file.bytes) were recorded.")
            }
            guard found.checksum.value == checksum else {
                return .damaged("its bytes are not those that were recorded: restore it from a copy.")
            }
        } catch {
            return error.errno == 0 || error.errno == ENOENT
                ? .damaged(error.description) : .unreadable(error)
        }
        return file.verified
            ? .whole : .damaged(file.fault ?? "it was not as written when it was closed.")
    }
}
