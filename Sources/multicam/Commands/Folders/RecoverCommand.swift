import Arguments
import Media
import SessionFolder

/// `multicam recover`: completes the files that a crash left unfinished.
struct RecoverCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "recover",
        summary: "Make whole what a crash or a power cut left of a recording, and say what was lost.",
        notes: [
            "Files that are not finished become ordinary ones, in place and without copying: it takes no longer for hours than for "
                + "minutes. All tracks then end together: frames and audio that other tracks do not have are left out and stay in the "
                + "files, what is missing is the last frame again, or silence. manifest.json is completed; then, the recording being "
                + "whole, its files are read once for their checksums.",
            "Of a folder that is no recording, the unfinished recordings below it are recovered one by one; those that still run are "
                + "left alone. With --json each is an element of an array then.",
            "Nothing gets worse by it: it may be interrupted and begun again, and what is whole is left alone. A recording that is "
                + "still running is refused.",
            "Exit status: 0 when it is whole, also when it was so already; 1 when nothing can be read, or when more of a track is lost "
                + "than the last second: the others are made whole all the same; 4 without permission to change it; 7 when the disk fails.",
        ],
        positionals: [
            PositionalSpec(
                "FOLDER-OR-FILE",
                help:
                    "A session folder, one .mp4, .mov or .wav file of it, or a folder above session folders.")
        ],
        options: [OptionSpec("json", help: "Print what was found and done as JSON.")])

    private let path: String
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = arguments.positionals.first ?? ""
        guard !path.isEmpty else {
            throw arguments.spec.error(
                "FOLDER-OR-FILE is empty: expected a session folder, or a file of one.")
        }
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        guard try await onThread({ Recovery.isAbove(path) }) else {
            let report = try await recover(path)
            Output.data(
                wantsJSON
                    ? String(decoding: JSONText.pretty(report), as: UTF8.self) : RecoveryText.of(report))
            return Self.status(of: report)
        }
        let search = try await onThread { RecordingSearch(below: path) }
        for remark in search.remarks { Output.message(remark) }
        for folder in search.running {
            Output.message(
                "\(folder.printable(limit: 1000)): this recording is still running, and is left alone.")
        }
        guard !search.isEmpty else {
            throw RecoveryError.unreadable(
                "\(path.printable(limit: 1000)): there is no recording in it. Give a session folder, or a file of one."
            )
        }
        return await recoverEach(search)
    }

    /// Recovers the recordings one after the other; a failure does not stop the rest. The exit status is that of the first
    /// failure.
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
                "\(path.printable(limit: 1000)): nothing is unfinished below it; \(search.endedCount) recordings came to their end."
            )
        }
        return status
    }

    private static func status(of report: RecoveryReport) -> ExitStatus {
        report.outcome == .incomplete ? .failed : .done
    }

    private func recover(_ path: String) async throws -> RecoveryReport {
        let report = try await onThread {
            let progress = WorkProgress()
            return try Recovery(path: path) { progress.tell(nil, "recovering \($0.printable(limit: 400))") }
                .run()
        }
        Output.endStatus()
        return report
    }

    /// Runs work that waits for the disk on a thread of its own, because Swift tasks must not block.
    private func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            _ = MediaThread(name: "recover") {
                continuation.resume(with: Result { try work() })
            }
        }
    }
}
