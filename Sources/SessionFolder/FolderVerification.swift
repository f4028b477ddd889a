internal import Glibc
internal import MulticamContainers
package import MulticamMedia
internal import MulticamSystem

/// Verifies the files of a session folder against the checksums in its manifest. Verification reads every byte, so run
/// it on a thread that may block on disk I/O.
package struct FolderVerification: Sendable {
    /// Result of verifying one file.
    package enum FileVerdict: Sendable, Equatable {
        /// The file is intact.
        case intact
        /// The file wasn't finalized during the recording. The sentence gives the reason.
        case unfinished(String)
        /// The file differs from the recorded data. The sentence describes the difference.
        case damaged(String)
        /// The file isn't in the folder. The sentence says what to do.
        case missing(String)
        /// The file cannot be read, for example because of missing permissions, so its state is unknown.
        case unreadable(FileError)
    }

    /// Path of the session folder.
    package let folder: String
    /// Entries of all files in the manifest.
    package let files: [Manifest.File]
    /// Verdict on the recording, derived from its manifest.
    package let recordingVerdict: Verdict
    private let manifest: Manifest

    /// Reads the manifest of a session folder.
    ///
    /// - Throws: `FileError` with the operation "reading" if the manifest cannot be read, if the recording has not
    ///   ended, or if the manifest lists no files with checksums.
    package init(folder: String) throws(FileError) {
        self.folder = folder
        let path = folder + "/manifest.json"
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.bytes(
                of: try ContainedFile(Manifest.fileName, in: folder), atMost: Manifest.largestByteCount)
        } catch {
            if error.isPermission { throw FileError(path: path, operation: "reading", errno: error.errno) }
            // The path exists but isn't a regular file.
            if error.errno == 0 { throw error }
            throw FileError(
                path: path, operation: "reading",
                detail: FolderState(of: folder).remedy(for: folder)
                    ?? "the manifest cannot be opened. Specify a session folder, as printed by `multicam record`."
            )
        }
        let manifest: Manifest
        do throws(ManifestFault) {
            manifest = try Manifest(reading: bytes)
        } catch {
            throw FileError(
                path: path, operation: "reading",
                detail:
                    "the manifest \(error.reason). Specify a session folder, as printed by `multicam record`."
            )
        }
        guard let files = manifest.files else {
            throw FileError(
                path: path, operation: "reading",
                detail: FolderState(of: folder).remedy(for: folder)
                    ?? "the manifest contains no checksums, because it was written by an older version of multicam."
            )
        }
        guard !files.isEmpty else {
            throw FileError(
                path: path, operation: "reading",
                detail: "the manifest lists no files, so there is nothing to verify.")
        }
        self.files = files
        self.manifest = manifest
        recordingVerdict = Verdict(manifest)
    }

    /// Describes the silence, slates, and duplicated frames in a file that replace missing audio or frames, for example
    /// `0.42 s of inserted silence`; `nil` if nothing is missing.
    package func fillerDescription(of file: Manifest.File) -> String? {
        let tracks = manifest.tracks.filter { $0.file == file.file || $0.parts?.contains(file.file) ?? false }
        let whole = tracks.contains { $0.parts != nil } ? " in all parts of the track" : ""
        var parts: [String] = []
        let samples = tracks.compactMap(\.samples).reduce(0) { $0 + Double(max($1.silence, 0)) }
        if samples > 0 {
            let length = TrackLosses.seconds(samples / Double(AudioFormat.sessionRate))
            parts.append("\(length) s of inserted silence")
        }
        let lost = tracks.compactMap(\.frames).flatMap(\.lost.values).reduce(0) { $0 + Double(max($1, 0)) }
        if lost > 0 {
            let frames = TrackLosses.whole(lost)
            parts.append(
                "\(frames) missing frame\(lost == 1 ? "" : "s"), replaced by earlier frames or slates")
        }
        return parts.isEmpty ? nil : parts.joined(separator: " and ") + whole
    }

    private static let missing = FileVerdict.missing(
        "the file is missing. It was deleted, moved, or renamed. Restore it, for example from a backup.")

    /// Reads a file and compares it with its manifest entry. Blocks on disk I/O.
    ///
    /// - Parameters:
    ///   - file: The file's entry in the manifest.
    ///   - progress: Called on the calling thread with the number of bytes read since the previous call.
    /// - Returns: The state of the file.
    package func verdict(_ file: Manifest.File, progress: (Int64) -> Void = { _ in }) -> FileVerdict {
        guard file.file.isSafeRelativePath else {
            return .damaged("the path is outside the session folder.")
        }
        let path = "\(folder)/\(file.file)"
        guard let checksum = file.xxh3_128, let start = file.hashed_from else {
            if access(path, F_OK) != 0, errno == ENOENT { return Self.missing }
            return .unfinished(
                file.fault
                    ?? (file.lacksChecksum
                        ? "the file's checksum was not computed. Run `multicam recover \(folder.shellQuoted())`."
                        : "the file was not finished."))
        }
        do throws(FileError) {
            let place = try ContainedFile(file.file, in: folder)
            // If the size differs, the content doesn't have to be read.
            if let size = place.byteCount, size != file.bytes {
                return .damaged("the file size is \(size) bytes, but \(file.bytes) bytes were recorded.")
            }
            let found = try FileVerification.checksum(of: place, from: start, progress: progress)
            guard found.byteCount == file.bytes else {
                return .damaged(
                    "the file size is \(found.byteCount) bytes, but \(file.bytes) bytes were recorded.")
            }
            guard found.checksum.value == checksum else {
                return .damaged("the content differs from the recording. Restore the file from a backup.")
            }
        } catch {
            if error.errno == ENOENT { return Self.missing }
            return error.errno == 0 ? .damaged(error.description) : .unreadable(error)
        }
        return file.verified
            ? .intact
            : .damaged(file.fault ?? "when the file was closed, its content differed from the written data.")
    }
}
