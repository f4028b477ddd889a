import Arguments
import Media
import MulticamKit
import Session

/// `multicam recover`: makes whole what a crash left.
struct RecoverCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "recover",
        summary: "Make whole what a crash or a power cut left of a recording, and say what was lost.",
        notes: [
            "Files that are not finished become ordinary ones, in place and without copying: it takes no longer for hours than for "
                + "minutes. All tracks then end together: pictures and sound that other tracks do not have are left out and stay in the "
                + "files, what is missing is the last picture again, or silence. manifest.json is completed; then, the recording being "
                + "whole, its files are read once for their checksums.",
            "Nothing gets worse by it: it may be interrupted and begun again, and what is whole is left alone. A recording that is "
                + "still running is refused.",
            "Exit status: 0 when it is whole, also when it was so already; 1 when nothing can be read; 4 without permission to change "
                + "it; 7 when the disk fails.",
        ],
        positionals: [
            PositionalSpec("FOLDER-OR-FILE", help: "A session folder, or one .mp4, .mov or .wav file of it.")
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
        let recovery = Recovery(path: path) { file in
            if Output.hasTerminal { Output.status("recovering \(file.printable(limit: 400))") }
        }
        let report = try await withCheckedThrowingContinuation { continuation in
            // The disk takes its time: on a thread of its own, not on one of the pool's.
            _ = MediaThread(name: "recover") {
                continuation.resume(with: Result { try recovery.run() })
            }
        }
        Output.endStatus()
        Output.data(
            wantsJSON ? String(decoding: JSONText.pretty(report), as: UTF8.self) : RecoveryText.of(report))
        return .done
    }
}
