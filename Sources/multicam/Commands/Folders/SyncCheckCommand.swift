import Arguments
import FoundationEssentials
import Glibc
import Media
import SessionFolder
import Synchrony

/// `multicam sync-check`: measures how far the tracks of a recording are apart.
struct SyncCheckCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "sync-check",
        summary: "Measure, from frames and audio alone, how far the tracks of a recording are apart.",
        notes: [
            "Flashes, lamps going on, claps and beeps that several tracks saw or heard are compared; microphones without them by "
                + "the audio that both hear. Offsets are above zero where a track is later than the reference: the first microphone "
                + "with claps, else the first track. What cannot be known is said to be unknown.",
            "A frame does not tell when within its exposure, or half a frame before and after, its light fell. Tracks with frames are "
                + "called apart only where no alignment of them could look so; claps at many phases of the frames narrow it.",
            "Of a recording of a group, collected by `multicam collect`, the tracks of all nodes are compared with one another.",
            "Writes report/sync.json and report/sync-check.svg into the folder.",
            "Exit status: 0 when nothing is apart beyond the tolerance or nothing can be known, 6 when something is; 1 when the "
                + "folder cannot be read, 4 where that needs permission; 4 or 7 when the report cannot be written there: the "
                + "results are printed all the same.",
        ],
        positionals: [PositionalSpec("FOLDER", help: "The folder of a finished recording.")],
        options: [
            OptionSpec("tolerance-sound", "T", help: "What is allowed between sounds (5ms)."),
            OptionSpec(
                "tolerance-picture", "FRAMES", help: "What is allowed where frames take part (0.5)."),
            OptionSpec("json", help: "Print what report/sync.json says."),
        ])

    private let folder: String
    private let tolerance: SyncTolerance
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        folder = arguments.positionals.first ?? ""
        guard !folder.isEmpty else {
            throw arguments.spec.error("FOLDER is empty: expected the folder of a recording.")
        }
        wantsJSON = arguments.flag("json")
        var tolerance = SyncTolerance()
        if let text = arguments.optional("tolerance-sound") {
            guard let audio = Nanoseconds(text), audio > .zero else {
                throw arguments.spec.error(
                    "`--tolerance-sound \(text.printable())`: expected a time above zero such as 5ms.")
            }
            tolerance.audio = audio
        }
        if let text = arguments.optional("tolerance-picture") {
            guard let frames = Double(text), frames > 0, frames <= 1000 else {
                throw arguments.spec.error(
                    "`--tolerance-picture \(text.printable())`: expected a number of frames above 0, at most 1000."
                )
            }
            // The tolerance of a single clap grows by the same amount.
            tolerance.singleFrame += frames - tolerance.frame
            tolerance.frame = frames
        }
        self.tolerance = tolerance
    }

    func run() async throws -> ExitStatus {
        let (folder, tolerance) = (folder, tolerance)
        let (findings, verdict) = try await measure { () throws in
            let session = try Self.session(in: folder)
            let progress = WorkProgress()
            // The start and the end of each track are looked at, and it is compared.
            let all = max(session.tracks.count * 3, 1)
            var done = 0
            let findings = try SyncCheck(session, tolerance: tolerance).run(version: MulticamVersion.current)
            {
                step in
                progress.tell(Double(done) / Double(all), step)
                done += 1
            }
            return (findings, session.verdict)
        }
        Output.endStatus()
        let json = JSONText.pretty(findings)
        Output.data(wantsJSON ? String(decoding: json, as: UTF8.self) : SyncText.of(findings))
        if verdict.level != .good {
            Output.message("not all of the recording is there: \(verdict.text)")
        }
        let result: ExitStatus = findings.verdict == .apart ? .lossesBeyondLimit : .done
        do throws(FileError) {
            try SessionFolder.write(json, to: "report/sync.json", in: folder)
            try SessionFolder.write(
                Data(SyncPlot(findings).document.utf8), to: "report/sync-check.svg", in: folder)
        } catch {
            let reason = error.errno == 0 ? error.detail : String(cString: strerror(error.errno))
            Output.message(
                "the report is not written: \(error.path.printable(limit: 1000)): \(reason.printable()). Make room or ask for "
                    + "permission there, or copy the folder to where you may write.")
            // The measurement decides the exit status, unless it is good and only the report failed.
            return result == .done ? error.isPermission ? .noPermission : .storageFailed : result
        }
        return result
    }

    /// The recording in a folder: one session, or those of a group's nodes.
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

    /// Runs work that decodes for long on a thread of its own, because Swift tasks must not block.
    private func measure(
        _ work: @escaping @Sendable () throws -> (SyncFindings, Verdict)
    ) async throws -> (SyncFindings, Verdict) {
        try await withCheckedThrowingContinuation { continuation in
            _ = MediaThread(name: "sync-check") {
                continuation.resume(with: Result { try work() })
            }
        }
    }
}
