import MulticamArguments
import MulticamMedia
import MulticamSessionFolder

/// `multicam recordings`: lists the recordings in a folder.
struct RecordingsCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "recordings",
        summary: "List the recordings in a folder with their verdicts.",
        notes: ["Lists at most 200 recordings, newest first."],
        options: [
            OptionSpec(
                "output", "DIR", help: "Folder that contains the session folders. Default: `./recordings`."),
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
        if recordings.isEmpty { Output.message("\(folder.printable(limit: 1000)) contains no recordings.") }
        for entry in recordings {
            let length = entry.duration_ns.map { " (\(Nanoseconds($0).displayText))" } ?? ""
            Output.data("\(entry.folder)\(length): \(entry.verdict ?? "Recording in progress.")")
        }
        return .done
    }
}
