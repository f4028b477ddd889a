import FoundationEssentials
import Glibc
import MulticamArguments
import MulticamMedia
import MulticamSessionFolder
import MulticamSynchrony

/// `multicam sync-check`: measures the offsets between the tracks of a recording.
struct SyncCheckCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "sync-check",
        summary: "Measure the sync offsets between the tracks of a recording.",
        notes: [
            "Compares flashes, lights being turned on, claps, and beeps that were recorded in several tracks. "
                + "Microphones without such events are compared by correlating their audio. "
                + "An offset is positive if the track is later than the reference. "
                + "The reference is the first microphone with claps, or otherwise the first track. "
                + "Offsets that can't be measured are reported as unknown.",
            "A frame doesn't show the exact time of an event, only that the event occurred during the exposure, or up to half a frame before or after it. "
                + "Tracks with frames are therefore reported as `apart` only if no alignment explains the measurement. "
                + "Claps at different points in the frame interval increase the accuracy.",
            "For a group recording fetched with `multicam collect`, the tracks of all nodes are compared with each other.",
            "Writes report/sync.json and report/sync-check.svg into the folder.",
            "Exit status: 0 if all offsets are within the tolerance or unknown; 1 if the folder can't be read; "
                + "4 if you don't have permission to read it; 6 if an offset exceeds the tolerance. "
                + "If the report can't be written, the exit status is 4 or 7, and the results are still printed.",
        ],
        positionals: [PositionalSpec("FOLDER", help: "Folder of a finished recording.")],
        options: [
            OptionSpec("tolerance-sound", "T", help: "Allowed offset between audio tracks. Default: 5ms."),
            OptionSpec(
                "tolerance-picture", "FRAMES",
                help: "Allowed offset, in frames, between a camera track and another track. Default: 0.5."),
            OptionSpec("json", help: "Print the content of report/sync.json."),
        ])

    private let folder: String
    private let tolerance: SyncTolerance
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        folder = arguments.positionals.first ?? ""
        guard !folder.isEmpty else {
            throw arguments.spec.error("FOLDER is empty. Expected the folder of a recording.")
        }
        wantsJSON = arguments.flag("json")
        var tolerance = SyncTolerance()
        if let text = arguments.optional("tolerance-sound") {
            guard let audio = Nanoseconds(text), audio > .zero else {
                throw arguments.spec.error(
                    "`--tolerance-sound \(text.printable())`: expected a time greater than zero, such as 5ms."
                )
            }
            tolerance.audio = audio
        }
        if let text = arguments.optional("tolerance-picture") {
            guard let frames = Double(text), frames > 0, frames <= 1000 else {
                throw arguments.spec.error(
                    "`--tolerance-picture \(text.printable())`: expected a number of frames greater than 0 and at most 1000."
                )
            }
            // The tolerance for a single clap is increased by the same amount.
            tolerance.singleFrame += frames - tolerance.frame
            tolerance.frame = frames
        }
        self.tolerance = tolerance
    }

    func run() async throws -> ExitStatus {
        let (folder, tolerance) = (folder, tolerance)
        let (findings, verdict) = try await MediaThread.run(named: "sync-check") {
            let session = try Self.session(in: folder)
            let progress = WorkProgress()
            // Each track requires three steps: measuring its start, measuring its end, and the comparison.
            let all = max(session.tracks.count * 3, 1)
            var done = 0
            let findings = try SyncCheck(session, tolerance: tolerance).run(version: MulticamVersion.current)
            {
                step in
                progress.report(Double(done) / Double(all), step)
                done += 1
            }
            return (findings, session.verdict)
        }
        Output.endStatus()
        let json = JSONText.pretty(findings)
        Output.data(wantsJSON ? String(decoding: json, as: UTF8.self) : SyncText.of(findings))
        if verdict.level != .good {
            Output.message(verdict.text)
        }
        let result: ExitStatus = findings.verdict == .apart ? .lossesBeyondLimit : .done
        do throws(FileError) {
            try SessionFolder.write(json, to: "report/sync.json", in: folder)
            try SessionFolder.write(
                Data(SyncPlot(findings).document.utf8), to: "report/sync-check.svg", in: folder)
        } catch {
            let reason = error.errno == 0 ? error.detail : String(cString: strerror(error.errno))
            Output.message(
                "Can't write the report \(error.path.printable(limit: 1000)): \(reason.printable()). "
                    + "Free up disk space, get write permission, or copy the recording to a writable folder.")
            // The measurement determines the exit status. If the measurement is good but the report couldn't
            // be written, the exit status is that of the write error.
            return result == .done ? error.isPermission ? .noPermission : .storageFailed : result
        }
        return result
    }

    /// Returns the recording in a folder, which is either a single session or the sessions of all nodes in a
    /// group.
    private static func session(in folder: String) throws -> CheckedSession {
        guard let group = try GroupManifest.read(in: folder) else {
            return try CheckedSession(folder: folder)
        }
        return try CheckedSession(
            folder: folder,
            joining: try group.nodes.map { node in
                (
                    node: node.name, session: try CheckedSession(folder: "\(folder)/\(node.name)"),
                    later: Nanoseconds(node.first_ns)
                )
            })
    }
}

/// Formats the findings of a synchronization check as text.
enum SyncText {
    /// Returns a table with aligned columns, followed by notes on unknown values and the verdict.
    static func of(_ findings: SyncFindings) -> String {
        let head = ["track", "", "start", "end", "drift", "by", ""]
        let rows = findings.tracks.map(row)
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        var lines = ([head] + rows).map { cells in
            var line = ""
            for (cell, width) in zip(cells, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
        let reference = findings.tracks.first { $0.verdict == .reference }?.label ?? ""
        lines.append("")
        lines.append(
            "Offsets are relative to \(reference) unless another reference is listed. "
                + "A positive offset means that the track is later.")
        for track in findings.tracks {
            if let note = track.note { lines.append("\(track.label): \(note)") }
        }
        return (lines + ["", findings.sentence]).joined(separator: "\n")
    }

    private static func row(_ track: SyncFindings.Track) -> [String] {
        let by = [method(track), track.reference.map { "against \($0)" }].compactMap { $0 }.joined(
            separator: ", ")
        return [
            track.name, track.kind.displayName, track.start.map(track.text) ?? "–",
            track.end.map(track.text) ?? "–",
            track.driftText ?? "–", by.isEmpty ? "\(track.events) events" : by, track.verdict.rawValue,
        ]
    }

    private static func method(_ track: SyncFindings.Track) -> String? {
        switch track.method {
        case .claps: "\(track.claps?.count ?? 0) of \(track.events) claps"
        case .correlation: "correlation"
        case nil: nil
        }
    }
}
