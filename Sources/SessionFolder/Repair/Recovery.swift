internal import Foundation
internal import Glibc
internal import Media

/// Makes whole what a crash or a power cut has left of a recording: a session folder, or one media file.
///
/// Nothing gets worse by it: what is in the files stays, an index or a header is made durable before one write brings it into
/// force, and the manifest is replaced at once. It may be interrupted at any instant and begun again; what is whole is left alone.
/// The time it takes does not depend on the size of the media, but on how many frames and packets there are; then, the recording
/// being whole, the files of a folder are read once for their checksums.
public struct Recovery: Sendable {
    private let path: String
    private let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - path: A session folder, or a file of one.
    ///   - progress: Told before each file: a line for people.
    public init(path: String, progress: @escaping @Sendable (String) -> Void = { _ in }) {
        self.path = path
        self.progress = progress
    }

    /// Whether a path is a folder without a recording of its own, so that its recordings lie below it.
    public static func isAbove(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            FolderState(of: path) == .noRecording
        else { return false }
        return !["cameras", "audio", "program.mp4", "session.mov"].contains {
            access("\(path)/\($0)", F_OK) == 0
        }
    }

    /// Does it. Blocks on the disk.
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
