import Arguments
import Media
import SessionFolder

/// `multicam recordings`: lists the recordings of a folder.
struct RecordingsCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "recordings",
        summary: "List the recordings of a folder, and what became of each.",
        notes: ["The newest is first; at most 200 are listed."],
        options: [
            OptionSpec(
                "output", "DIR", help: "Where session folders are made. Default: recordings in this folder."),
            OptionSpec("json", help: "Print JSON."),
        ])

    private let folder: String
    private let wantsJSON: Bool

    private struct List: Encodable {
        let recordings: [RecordingEntry]
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        folder = arguments.optional("output") ?? "recordings"
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let recordings = try RecordingEntry.list(folder)
        if wantsJSON {
            Output.data(JSONText.line(List(recordings: recordings)))
            return .done
        }
        if recordings.isEmpty { Output.message("\(folder.printable(limit: 1000)) has no recordings yet.") }
        for entry in recordings {
            let length = entry.duration_ns.map { " (\(Nanoseconds($0).words))" } ?? ""
            Output.data("\(entry.folder)\(length): \(entry.verdict ?? "it is being recorded.")")
        }
        return .done
    }
}
