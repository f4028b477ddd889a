internal import Glibc
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamSystem

/// Recovers a recording after a crash or a power loss: a session folder or a single media file.
///
/// A recovery never makes the recording worse. The content of files is preserved, and the manifest is replaced
/// atomically. A new index or header is completely written to disk before a single write activates it. A recovery may
/// be interrupted at any time and repeated; intact files stay unchanged. The duration of a recovery depends on the
/// number of frames and packets, not on the size of the media. After the recording is recovered, the files of the
/// folder are read once to compute checksums.
package struct Recovery: Sendable {
    private let path: String
    private let progress: @Sendable (String) -> Void

    /// Prepares a recovery without opening or changing anything.
    ///
    /// - Parameters:
    ///   - path: A session folder, or a media file in a session folder.
    ///   - progress: Called before each file with a human-readable line, on the thread of `run()`.
    package init(path: String, progress: @escaping @Sendable (String) -> Void = { _ in }) {
        self.path = path
        self.progress = progress
    }

    /// Whether a path is a folder without a recording, which may contain recordings in its subfolders.
    package static func isFolderWithoutRecording(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            FolderState(of: path) == .noRecording
        else { return false }
        return !["cameras", "audio", "program.mp4", "session.mov"].contains {
            access("\(path)/\($0)", F_OK) == 0
        }
    }

    /// Performs the recovery. Blocks on disk I/O.
    ///
    /// - Returns: A report of the findings and the actions taken.
    /// - Throws: `RecoveryError` if nothing could be recovered.
    package func run() throws(RecoveryError) -> RecoveryReport {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw RecoveryError(FileError(path: path, operation: "opening", errno: errno))
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            let folder: ContainedFolder
            do throws(FileError) { folder = try ContainedFolder(opening: path) } catch {
                throw RecoveryError(error)
            }
            return try FolderRecovery(contained: folder, progress: progress).run()
        }
        do throws(FileError) {
            return try recoverFile()
        } catch {
            throw RecoveryError(error)
        }
    }

    /// The media file to recover. A file in a session folder is opened relative to that folder, so that no
    /// symbolic link inside the folder is followed.
    private var place: ContainedFile {
        get throws(FileError) {
            let names = path.split(separator: "/", omittingEmptySubsequences: false)
            // Try `FOLDER/cameras/desk.mov` before `FOLDER/program.mp4`.
            for depth in [2, 1] where names.count > depth {
                let folder = names.dropLast(depth).joined(separator: "/")
                let above = folder.isEmpty ? "/" : folder
                guard FolderState(of: above) != .noRecording else { continue }
                return try ContainedFile(names.suffix(depth).joined(separator: "/"), in: above)
            }
            return try ContainedFile(path: path)
        }
    }

    private func recoverFile() throws(FileError) -> RecoveryReport {
        guard MediaFileName.isMedia(path) else {
            throw FileError(
                path: path, operation: "reading",
                detail:
                    "this is not a recording. Specify a session folder, or an .mp4, .mov, or .wav file from one."
            )
        }
        progress(path)
        let file = try RemainingFile(try place, name: path, start: .zero)
        let reaches = file.streams.indices.filter { file.streams[$0].codec != "tmcd" }.map {
            CommonEnd.Reach(end: file.end(ofStream: $0), isEncoded: file.streams[$0].codec == "h264")
        }
        let end = CommonEnd(reaches, leading: file.streams.lazy.compactMap(\.rate).first)?.time
        let wasPlain = file.isPlain
        let counts = wasPlain ? file.counts : try file.complete(until: end, rates: [:])
        var report = RecoveryReport(
            path: path, outcome: wasPlain ? .whole : .recovered, duration_ns: 0, tracks: [], remarks: [])
        for (index, stream) in file.streams.enumerated() where stream.codec != "tmcd" {
            let reached = file.end(ofStream: index)
            let ending = TrackEnding(
                reached: reached, end: wasPlain ? reached : end ?? reached, stream: stream)
            report.duration_ns = max(report.duration_ns, ending.end.nanoseconds)
            report.tracks.append(
                RecoveryReport.Track(
                    name: stream.name.printable(), file: path,
                    frames: stream.isAudio ? nil : Int(counts[index]),
                    samples: stream.isAudio ? counts[index] : nil, cut_ns: ending.cut,
                    padded_ns: ending.padded,
                    text: wasPlain ? "the track is complete." : ending.text))
        }
        return report
    }
}

/// Reason why nothing was recovered. Each case contains a human-readable sentence.
package enum RecoveryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path doesn't contain a readable multicam recording.
    case unreadable(String)
    /// Another process is still recording into this folder or recovering it.
    case busy(String)
    /// The process lacks permission to change the recording.
    case noPermission(String)
    /// The recording could be read, but writing the recovered data failed. The recording is unchanged.
    case storage(String)

    /// The reason as a human-readable sentence.
    package var description: String {
        switch self {
        case .unreadable(let sentence), .busy(let sentence), .noPermission(let sentence),
            .storage(let sentence):
            sentence
        }
    }
}

extension RecoveryError {
    init(_ error: FileError) {
        let path = error.path.printable(limit: 1000)
        switch error.errno {
        case 0 where error.isBusy: self = .busy("\(path): \(error.detail)")
        case _ where error.limit != nil:
            self = .storage(
                "\(path): \(error.operation) failed: \(error.limit?.explanation ?? "") The recording is unchanged."
            )
        case 0: self = .unreadable("\(path): \(error.detail.printable(limit: 400))")
        case EACCES, EPERM:
            self = .noPermission(
                "\(path): no permission to change the recording. Recover it as the user who made it, or copy it to "
                    + "your home folder and recover the copy.")
        case ELOOP:
            self = .unreadable("\(path): the symbolic links in the path form a loop. Check the path.")
        case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG:
            self = .unreadable("\(path): recording not found. Check the path.")
        case ENOSPC, EDQUOT:
            self = .storage(
                "\(path): the disk is full. Free some space, then try again. The recording is unchanged.")
        case EROFS:
            self = .storage(
                "\(path): the file system is read-only. Copy the recording to another disk and recover the copy."
            )
        default:
            self = .storage(
                "\(path): \(error.operation) failed: \(String(cString: strerror(error.errno))) (errno \(error.errno)). Check the "
                    + "disk. The recording is unchanged.")
        }
    }
}

/// The result of a recovery.
package struct RecoveryReport: Sendable, Equatable, Encodable {
    /// State of the recording after the recovery.
    package enum Outcome: String, Sendable, Encodable {
        /// The recording was recovered.
        case recovered
        /// The recording was already intact.
        case whole
        /// A file that had content is missing or cannot be read. The remarks name the file. The other files
        /// have been recovered.
        case incomplete
    }

    /// State of one track after the recovery.
    package struct Track: Sendable, Equatable, Encodable {
        /// Name of the track.
        package var name: String
        /// First file of the track, relative to the session folder, or the path of the single recovered file.
        package var file: String
        /// Number of frames in the track's files; `nil` for audio.
        package var frames: Int?
        /// Number of samples per channel in the track's files; `nil` for video.
        package var samples: Int64?
        /// Length in nanoseconds that was trimmed after the common end.
        package var cut_ns: Int64
        /// Length in nanoseconds that was padded before the common end.
        package var padded_ns: Int64
        /// A human-readable sentence that describes the losses.
        package var text: String
    }

    /// The session folder or media file as passed by the caller.
    package var path: String
    /// State of the recording after the recovery.
    package var outcome: Outcome
    /// Length from T0 to the end of all tracks, in nanoseconds.
    package var duration_ns: Int64
    /// Tracks of the recording.
    package var tracks: [Track]
    /// Remarks about the recovery, for example about unreadable files, one sentence each.
    package var remarks: [String]
}

extension RecoveryReport.Track {
    init(_ track: Manifest.Track, _ content: RecoveredContent) {
        let isAudio = track.kind == "microphone"
        self.init(
            name: track.name.printable(), file: track.file.printable(limit: 400),
            frames: isAudio ? nil : Int(content.written),
            samples: isAudio ? content.written : nil, cut_ns: content.ending.cut_ns,
            padded_ns: content.ending.padded_ns, text: content.ending.text)
    }

    /// Creates the entry of a track that has no content on disk.
    init(lost track: Manifest.Track, _ ending: Manifest.RecoveredTrack) {
        self.init(
            name: track.name.printable(), file: track.file.printable(limit: 400), frames: nil, samples: nil,
            cut_ns: 0, padded_ns: 0, text: ending.text.printable(limit: 1000))
    }
}
