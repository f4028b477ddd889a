internal import Glibc
internal import Media

/// Makes an interrupted recording whole after a crash or a power cut: a session folder, or one media file.
///
/// A recovery makes nothing worse: the content of files stays, an index or a header is durable before one write activates it,
/// and the manifest is replaced atomically. A recovery may be interrupted at any instant and repeated; files that are whole stay
/// as they are. Its time depends on the number of frames and packets, not on the size of the media; after that, with the
/// recording whole, it reads the files of a folder once for their checksums.
public struct Recovery: Sendable {
    private let path: String
    private let progress: @Sendable (String) -> Void

    /// Prepares a recovery; nothing is opened or changed yet.
    ///
    /// - Parameters:
    ///   - path: A session folder, or a media file of one.
    ///   - progress: Called before each file with a line for people, on the thread of `run()`.
    public init(path: String, progress: @escaping @Sendable (String) -> Void = { _ in }) {
        self.path = path
        self.progress = progress
    }

    /// Whether a path is a folder without a recording of its own, so that recordings may lie below it.
    public static func isAbove(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            FolderState(of: path) == .noRecording
        else { return false }
        return !["cameras", "audio", "program.mp4", "session.mov"].contains {
            access("\(path)/\($0)", F_OK) == 0
        }
    }

    /// Performs the recovery, and blocks on the disk meanwhile.
    ///
    /// - Returns: What was found and done.
    /// - Throws: `RecoveryError` when nothing could be made whole.
    public func run() throws(RecoveryError) -> RecoveryReport {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw RecoveryError(FileError(path: path, operation: "open", errno: errno))
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            return try FolderRecovery(folder: path, progress: progress).run()
        }
        do throws(FileError) {
            return try recoverFile()
        } catch {
            throw RecoveryError(error)
        }
    }

    private func recoverFile() throws(FileError) -> RecoveryReport {
        guard MediaFileName.isMedia(path) else {
            throw FileError(
                path: path, operation: "read",
                detail:
                    "it is not a recording: expected a session folder, or an .mp4, .mov or .wav file of one.")
        }
        progress(path)
        let file = try RemainingFile(path: path, name: path, start: .zero)
        let reaches = file.streams.indices.filter { file.streams[$0].codec != "tmcd" }.map {
            CommonEnd.Reach(end: file.end(ofStream: $0), isEncoded: file.streams[$0].codec == "h264")
        }
        let end = CommonEnd(reaches, leading: file.streams.lazy.compactMap(\.rate).first)?.time
        let wasPlain = file.isPlain
        let counts = wasPlain ? file.counts : try file.makeWhole(until: end, rates: [:])
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
                    filled_ns: ending.filled,
                    text: wasPlain ? "it is whole." : ending.text))
        }
        return report
    }
}
