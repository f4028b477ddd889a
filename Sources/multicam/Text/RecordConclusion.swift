import FoundationEssentials
import MulticamInterchange
import MulticamMedia
import MulticamProfiles
import MulticamRendering
import MulticamSession
import MulticamSessionFolder
internal import MulticamWriters

/// The messages that are printed at the end of a recording. If the recording was resumed, the messages cover
/// all sessions of the recording.
struct RecordConclusion {
    private let results: [RecordingResult]

    /// Creates the final messages of a recording.
    ///
    /// - Parameter results: The results of the recording's sessions, in order.
    init(_ results: [RecordingResult]) { self.results = results }

    /// One message for each failure, and the verdict on each session.
    var messages: [String] {
        results.flatMap { result in
            let verdict = result.verdict.text
            // Failures that the verdict already mentions are omitted.
            let failures = (storage(result) + result.encodingFailures.map(\.description)).filter {
                !verdict.contains($0.hasSuffix(".") ? String($0.dropLast()) : $0)
            }
            let messages = failures + LiveOutputText.lines(result.manifest) + [verdict]
            // If there are several sessions, each message names its folder.
            return results.count == 1 ? messages : messages.map { "\(result.folder.printable()): \($0)" }
        }
    }

    /// The verdicts on all sessions, joined to one text.
    private var verdict: String {
        results.count == 1
            ? results[0].verdict.text
            : results.map { "\($0.folder.printable()): \($0.verdict.text)" }.joined(separator: " ")
    }

    /// Returns messages about write failures in the session folder and the backup, and about which of them is
    /// complete.
    private func storage(_ result: RecordingResult) -> [String] {
        var sentences = result.storageFailures.map(\.description)
        guard let backup = result.backup else { return sentences }
        sentences += backup.storageFailures.map { "Backup: \($0)" }
        switch (result.storageFailures.isEmpty, backup.storageFailures.isEmpty) {
        case (true, true): break
        case (false, true):
            let what =
                backup.content == .program
                ? "The backup of the program is complete" : "The backup is complete"
            sentences.append("\(what): \(backup.folder.printable())")
        case (true, false):
            sentences.append("The recording is complete: \(result.folder.printable())")
        case (false, false):
            sentences.append(
                "The recording and the backup are both incomplete. Their manifests list the recorded files: \(result.folder.printable()), "
                    + backup.folder.printable())
        }
        return sentences
    }

    /// The worst exit status of all sessions. A stop due to system pressure is considered only for the last
    /// session.
    var status: ExitStatus {
        if results.contains(where: { !$0.isStored }) { return .storageFailed }
        if results.contains(where: { !$0.encodingFailures.isEmpty }) || results.last?.pressureEnd != nil {
            return .failed
        }
        return results.contains { !$0.exceededLimits.isEmpty } ? .lossesBeyondLimit : .done
    }

    /// The final event of the last session, with the worst exit status of all sessions; `nil` if there are no
    /// sessions.
    var event: SessionEvent? {
        results.last.map { last in
            SessionEvent(
                .finished(
                    SessionEvent.Finished(
                        outcome: last.manifest.outcome, verdict: verdict, folder: last.folder,
                        exit: Int64(status.rawValue))),
                at: MediaTime(nanoseconds: last.manifest.duration_ns))
        }
    }
}

/// Formats the results of a recording's live outputs as text.
enum LiveOutputText {
    /// Returns one line of text for each live output.
    static func lines(_ manifest: Manifest) -> [String] {
        (manifest.live_outputs ?? []).map { liveOutput in
            let live = liveOutput.connected.reduce(Nanoseconds.zero) {
                $0 + Nanoseconds($1.to_ns - $1.from_ns)
            }
            let words = [
                "\(liveOutput.name) was live for \(seconds(live)) of \(seconds(Nanoseconds(manifest.duration_ns))) s",
                "\(liveOutput.sent_frames) \(liveOutput.kind == "pulse" ? "blocks" : "frames") sent",
                liveOutput.dropped_frames > 0 ? "\(liveOutput.dropped_frames) dropped" : nil,
                liveOutput.connected.count > 1 ? "\(liveOutput.connected.count) connections" : nil,
            ]
            let reason = liveOutput.reasons.last.map { ": \($0.trimmingFullStop)" } ?? ""
            return "\(words.compactMap(\.self).joined(separator: ", "))\(reason).".printable(limit: 1000)
        }
    }

    private static func seconds(_ time: Nanoseconds) -> String {
        let tenths = (time.count + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Hints for a new user after a recording: the created files, how to play them, and suggestions for the next steps.
struct RecordingGuide {
    private let results: [RecordingResult]
    private let isVirtual: Bool
    /// The current folder. Paths inside this folder are shown as relative paths.
    private let base: String

    /// Creates hints about one or more recordings.
    ///
    /// - Parameters:
    ///   - results: The results of the recordings, in order.
    ///   - isVirtual: Whether the devices were synthetic.
    ///   - base: The path of the current folder.
    init(
        _ results: [RecordingResult], isVirtual: Bool,
        base: String = FileManager.default.currentDirectoryPath
    ) {
        self.results = results
        self.isVirtual = isVirtual
        self.base = base
    }

    /// Three lines of text; empty if nothing was recorded or the files no longer exist.
    var lines: [String] {
        guard let last = results.last, let first = files(of: last).first else { return [] }
        let folder = shortened(last.folder)
        return [
            summaryLine,
            "To play the file, run `ffplay -autoexit \((folder + "/" + first).shellQuoted())`, or open it in any player.",
            next(last, folder.shellQuoted()),
        ]
    }

    private func next(_ result: RecordingResult, _ folder: String) -> String {
        if !result.storageFailures.isEmpty {
            return "Next: remove the cause of the write failure, and run `multicam recover \(folder)`."
        }
        return isVirtual
            ? "Next: `multicam devices` lists your cameras and microphones. To record with them, omit `--virtual` and `--virtual-pattern`."
            : "Next: `multicam sync-check \(folder)` measures how well the tracks are synchronized."
    }

    /// The first line: `Recorded: 8.0 s in recordings/x (program.mp4, cameras/desk.mov).`
    private var summaryLine: String {
        let parts = results.compactMap { result -> String? in
            let length = Double(result.manifest.duration_ns) / 1e9
            let files = files(of: result)
            guard !files.isEmpty else { return nil }
            let shown = files.prefix(6).joined(separator: ", ")
            let more = files.count > 6 ? " and \(files.count - 6) more" : ""
            return "\(length.decimals(1)) s in \(shortened(result.folder)) (\(shown)\(more))"
        }
        return "Recorded: \(parts.joined(separator: "; "))."
    }

    /// Returns the program's file, followed by the files of cameras and microphones. Each file is listed
    /// once, and only the first file of each track is included.
    private func files(of result: RecordingResult) -> [String] {
        let tracks = result.manifest.tracks
        let ordered = tracks.filter { $0.kind == "program" } + tracks.filter { $0.kind != "program" }
        var files: [String] = []
        for track in ordered where !files.contains(track.file) {
            guard FileManager.default.fileExists(atPath: result.folder + "/" + track.file) else { continue }
            files.append(track.file)
        }
        return files.map { $0.printable() }
    }

    private func shortened(_ path: String) -> String {
        let prefix = base.hasSuffix("/") ? base : base + "/"
        return (path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path).printable(limit: 4096)
    }
}

/// Writes the editing projects that a profile requests in its field `edit`, after a recording.
enum FinishedProjects {
    /// Writes the editing projects to the session folder and prints a message. Failures are reported, but
    /// don't affect the recording.
    static func write(for result: RecordingResult) {
        let formats = (result.manifest.edit ?? []).compactMap { EditFormat(rawValue: $0) }
        guard !formats.isEmpty else { return }
        do throws(FileError) {
            let session = try RecordedSession(folder: result.folder).withFirstFrames(in: result.folder)
            let files = try SessionExport.write(
                session, cut: .live(of: session), formats: formats, in: result.folder)
            Output.message(
                "Editor projects written to \(result.folder.printable()): \(files.joined(separator: ", ")).")
        } catch {
            Output.message(
                "Can't write the editor projects: \(error.description)".printable(limit: 1000))
        }
    }
}
