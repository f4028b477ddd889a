import MulticamArguments
import MulticamMedia
import MulticamSessionFolder

/// `multicam recover`: finalizes files that were left unfinished by a crash.
struct RecoverCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "recover",
        summary: "Repair a recording after a crash or power loss, and report the losses.",
        notes: [
            "Unfinished files are repaired in place, without copying, so long recordings are repaired as fast as short ones. "
                + "All tracks then end at the same time: frames and audio that don't exist in the other tracks are skipped but remain in the files. "
                + "Missing parts repeat the last frame or are silent. manifest.json is completed. "
                + "If the recording is complete, its files are then read once to compute their checksums.",
            "If the folder isn't a recording, the unfinished recordings in it are recovered one by one; running recordings are skipped. "
                + "With --json, the output is then an array with one element per recording.",
            "Recovery can be interrupted and restarted safely, and doesn't change complete recordings. "
                + "Recordings that are still running are rejected.",
            "Exit status: 0 if the recording is complete, even if it was complete before; "
                + "1 if nothing can be read, or if a track lost more than the last second (the other tracks are still repaired); "
                + "4 if you don't have permission to change the recording; 7 if the disk fails.",
        ],
        positionals: [
            PositionalSpec(
                "FOLDER-OR-FILE",
                help:
                    "Session folder, one of its .mp4, .mov, or .wav files, or a folder that contains session folders."
            )
        ],
        options: [OptionSpec("json", help: "Print the findings and repairs as JSON.")])

    private let path: String
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = arguments.positionals.first ?? ""
        guard !path.isEmpty else {
            throw arguments.spec.error(
                "FOLDER-OR-FILE is empty. Expected a session folder, or a file in one.")
        }
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        guard try await MediaThread.run(named: "recover", { Recovery.isFolderWithoutRecording(path) }) else {
            let report = try await recover(path)
            Output.data(
                wantsJSON
                    ? String(decoding: JSONText.pretty(report), as: UTF8.self) : RecoveryText.of(report))
            return Self.status(of: report)
        }
        let search = try await MediaThread.run(named: "recover") { RecordingSearch(below: path) }
        for remark in search.remarks { Output.message(remark) }
        for folder in search.running {
            Output.message(
                "\(folder.printable(limit: 1000)): this recording is still running and was skipped.")
        }
        for folder in search.empty {
            let remedy = FolderState.empty.remedy(for: folder) ?? ""
            Output.message("\(folder.printable(limit: 1000)): \(remedy)")
        }
        guard !search.isEmpty else {
            throw RecoveryError.unreadable(
                "\(path.printable(limit: 1000)) contains no recording. Specify a session folder, or a file in one."
            )
        }
        return await recoverEach(search)
    }

    /// Recovers recordings one after another, and continues after a failure. The exit status is the status of
    /// the first failure.
    private func recoverEach(_ search: RecordingSearch) async -> ExitStatus {
        var reports: [RecoveryReport] = []
        var status = search.remarks.isEmpty ? ExitStatus.done : .failed
        for folder in search.unfinished {
            do {
                let report = try await recover(folder)
                reports.append(report)
                if !wantsJSON { Output.data(RecoveryText.of(report)) }
                if status == .done { status = Self.status(of: report) }
            } catch {
                Output.endStatus()
                Output.message("\(error)".printable(limit: 4000))
                if status == .done { status = Multicam.status(of: error) }
            }
        }
        if wantsJSON {
            Output.data(String(decoding: JSONText.pretty(reports), as: UTF8.self))
        } else if search.unfinished.isEmpty {
            Output.data(
                "\(path.printable(limit: 1000)): no unfinished recordings found (finished: \(search.endedCount))."
            )
        }
        return status
    }

    private static func status(of report: RecoveryReport) -> ExitStatus {
        report.outcome == .incomplete ? .failed : .done
    }

    private func recover(_ path: String) async throws -> RecoveryReport {
        let report = try await MediaThread.run(named: "recover") {
            let progress = WorkProgress()
            return try Recovery(path: path) { progress.report(nil, "recovering \($0.printable(limit: 400))") }
                .run()
        }
        Output.endStatus()
        return report
    }
}

/// Formats the report of a recovery as text.
enum RecoveryText {
    static func of(_ report: RecoveryReport) -> String {
        let seconds = duration(report.duration_ns)
        let path = report.path.printable(limit: 1000)
        let sentence =
            switch report.outcome {
            case .whole: "\(path) is already complete (\(seconds))."
            case .recovered: "\(path) was recovered (\(seconds))."
            case .incomplete: "\(path) is incomplete. \(seconds) can be read, but not from every file."
            }
        guard report.outcome != .whole else { return ([sentence] + report.remarks).joined(separator: "\n") }
        let width = report.tracks.map(\.name.count).max() ?? 0
        let lines = report.tracks.map { track in
            let name =
                track.name.printable() + String(repeating: " ", count: max(0, width - track.name.count))
            return "\(name)  \(amount(track))  \(track.text)"
        }
        return ([sentence] + lines + report.remarks).joined(separator: "\n")
    }

    private static func duration(_ nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds + 500_000) / 1_000_000
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest) s"
    }

    private static func amount(_ track: RecoveryReport.Track) -> String {
        if let frames = track.frames { return "\(frames) frames" }
        if let samples = track.samples { return "\(samples) samples" }
        return "nothing"
    }
}
