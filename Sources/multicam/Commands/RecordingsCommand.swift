import FoundationEssentials
import MulticamArguments
import MulticamMedia
import MulticamSessionFolder

/// `multicam recordings`: lists the recordings in a folder, and renames, deletes, or opens one of them.
struct RecordingsCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "recordings",
        summary: "List, rename, delete, or open the recordings in a folder.",
        notes: [
            "Without TASK, lists at most 200 recordings, newest first.",
            "`rename` replaces the title in the manifest, which the list shows and `export` uses. The names of the folder and of "
                + "its files don't change. An empty title removes the title.",
            "`delete` moves the session folder to the desktop's trash. If there is no trash for the folder's file system, the "
                + "command fails; use `--permanently` to delete the folder anyway. A backup isn't deleted.",
            "`open` shows the session folder in the desktop's file manager.",
            "A running recording can't be renamed or deleted.",
            "Exit status: 1 if the folder isn't a session folder, the recording is running, or the folder can't be moved to the "
                + "trash or opened; 4 if permissions are missing.",
        ],
        positionals: [
            PositionalSpec("TASK", isOptional: true, help: "Task: `rename`, `delete`, or `open`."),
            PositionalSpec("FOLDER", isOptional: true, help: "Session folder."),
            PositionalSpec("TITLE", isOptional: true, help: "New title, for `rename`."),
        ],
        options: [
            OptionSpec(
                "output", "DIR", help: "Folder that contains the session folders. Default: `./recordings`."),
            OptionSpec("permanently", help: "Delete the files instead of moving them to the trash."),
            OptionSpec("json", help: "Print JSON."),
        ])

    private enum Task {
        case list(folder: String)
        case rename(String, to: String)
        case delete(String, permanently: Bool)
        case open(String)
    }

    private let task: Task
    private let wantsJSON: Bool

    private struct List: Encodable {
        let recordings: [RecordingEntry]
        /// What `delete` does: `trash` or `permanent`.
        let deletion: String
        /// Whether `open` is available.
        let opens: Bool
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsJSON = arguments.flag("json")
        let words = arguments.positionals
        func refuse(_ text: String) -> UsageError { arguments.spec.error(text) }
        if let word = words.first {
            guard words.count >= 2 else {
                throw refuse("FOLDER is missing. Specify a session folder, such as `recordings/talk`.")
            }
            if arguments.optional("output") != nil {
                throw refuse("`--output` applies only to the list. Specify the path of the session folder.")
            }
            if word != "rename", words.count > 2 {
                throw refuse("Unexpected argument `\(words[2].printable())`.")
            }
        }
        if arguments.flag("permanently"), words.first != "delete" {
            throw refuse("`--permanently` applies only to `delete`.")
        }
        switch words.first {
        case nil: task = .list(folder: arguments.optional("output") ?? "recordings")
        case "rename":
            guard words.count == 3 else {
                throw refuse("TITLE is missing. To remove the title, specify an empty one: `\"\"`.")
            }
            task = .rename(words[1], to: words[2])
        case "delete": task = .delete(words[1], permanently: arguments.flag("permanently"))
        case "open": task = .open(words[1])
        case let word?:
            throw refuse("`\(word.printable())` isn't a task. Expected `rename`, `delete`, or `open`.")
        }
    }

    func run() async throws -> ExitStatus {
        do {
            return try perform()
        } catch let error as FileError
            where !error.isPermission && (error.errno == 0 || error.operation == Trash.operation)
        {
            let offersDeletion = error.operation == Trash.operation && !wantsJSON
            Output.message(
                "\(error)" + (offersDeletion ? " To delete the files permanently, use `--permanently`." : ""))
            return .failed
        }
    }

    private func perform() throws -> ExitStatus {
        switch task {
        case .list(let folder): try list(folder)
        case .rename(let path, let title):
            try EndedRecording(path).rename(to: title)
            report(title.isEmpty ? "The title was removed." : "The recording was renamed to “\(title)”.")
        case .delete(let path, permanently: true):
            try EndedRecording(path).deletePermanently()
            report("The recording was deleted.")
        case .delete(let path, permanently: false):
            try EndedRecording(path).moveToTrash()
            report("The recording was moved to the trash.")
        case .open(let path):
            guard FolderState(of: path) != .noRecording else {
                Output.message("\(path.printable(limit: 1000)) isn't a session folder.")
                return .failed
            }
            guard DesktopFolder.open(path) else {
                Output.message(
                    "The folder can't be opened: there is no desktop, or xdg-open failed. Install xdg-utils.")
                return .failed
            }
            report("The folder was opened.")
        }
        return .done
    }

    private func report(_ sentence: String) {
        struct Report: Encodable {
            let ok = true
            let text: String
        }
        Output.data(wantsJSON ? JSONText.line(Report(text: sentence)) : sentence)
    }

    private func list(_ folder: String) throws {
        let recordings = try RecordingEntry.list(folder)
        if wantsJSON {
            let hasTrash = Trash(for: URL(fileURLWithPath: folder).resolvingSymlinksInPath().path) != nil
            Output.data(
                JSONText.line(
                    List(
                        recordings: recordings, deletion: hasTrash ? "trash" : "permanent",
                        opens: DesktopFolder.isAvailable)))
            return
        }
        if recordings.isEmpty { Output.message("\(folder.printable(limit: 1000)) contains no recordings.") }
        for entry in recordings {
            let length = entry.duration_ns.map { " (\(Nanoseconds($0).displayText))" } ?? ""
            let title = entry.title.map { ", “\($0)”" } ?? ""
            Output.data("\(entry.folder)\(length)\(title): \(entry.verdict ?? "Recording in progress.")")
        }
    }
}
