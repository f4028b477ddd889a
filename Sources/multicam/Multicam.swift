import FoundationEssentials
import Glibc
import MulticamArguments
import MulticamControl
import MulticamInterchange
import MulticamKit
import MulticamMedia
import MulticamProfiles
import MulticamRendering
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamStills
import MulticamSynchrony
import MulticamSystem

/// The main program, which finds the requested command, runs it, prints its error, and exits.
@main
struct Multicam {
    static let program = "multicam"

    /// All commands, in the order of the help text. To add a command, add a source file and a line in
    /// `groups`.
    static let commands: [any Command.Type] = groups.flatMap(\.commands)

    /// Groups of commands, in the order of the help text.
    private static let groups: [(title: String, commands: [any Command.Type])] = [
        (
            "Set up",
            [
                DevicesCommand.self, ControlsCommand.self, PreferCommand.self, ProfilesCommand.self,
                PlanCommand.self, CalibrateCommand.self, StressCommand.self, DoctorCommand.self,
            ]
        ),
        (
            "Record",
            [
                StudioCommand.self, RecordCommand.self, CtlCommand.self, PreviewCommand.self,
                SnapshotCommand.self,
            ]
        ),
        (
            "Check",
            [RecordingsCommand.self, VerifyCommand.self, SyncCheckCommand.self, RecoverCommand.self]
        ),
        ("Edit", [ExportCommand.self, RenderCommand.self, IngestCommand.self]),
        ("Several computers", [GroupCommand.self, NodeCommand.self, CollectCommand.self]),
    ]

    static func main() {
        Output.openClosedStreams()
        signal(SIGPIPE, SIG_IGN)
        // Unblocks all signals, because the parent process may have blocked some of them, in which case
        // Ctrl-C wouldn't work. Threads that start later inherit the signal mask.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        if let limit = ProcessPreparation.run() {
            Output.message("Can't start: \(limit.explanation)")
            exit(ExitStatus.failed.rawValue)
        }
        let status = TaskThreads.shared.run { await run(Array(CommandLine.arguments.dropFirst())) }
        exit(status.rawValue)
    }

    private static func run(_ words: [String]) async -> ExitStatus {
        let (status, messages) = await perform(words)
        for message in messages { Output.message(message) }
        return status == .done && Output.hasLostData ? .failed : status
    }

    /// Parses and runs a command line.
    ///
    /// - Returns: The exit status, and the error messages if the command failed.
    static func perform(_ words: [String]) async -> (status: ExitStatus, messages: [String]) {
        do {
            return (try await execute(words), [])
        } catch {
            return (status(of: error), lines(of: error).map { $0.printable(limit: 4000) })
        }
    }

    /// Returns the messages of an error. An invalid profile can cause several errors, with one message each.
    private static func lines(of error: any Error) -> [String] {
        switch error {
        case let error as ProfileError: error.lines
        case SetupError.profile(let error): error.lines
        default: ["\(error)"]
        }
    }

    private static func execute(_ words: [String]) async throws -> ExitStatus {
        let first = words.first ?? ""
        if ["--help", "-h", "help"].contains(first) {
            let topic = words.dropFirst().first
            // `tools/docs` uses this output to generate the documentation page about commands.
            if words == ["help", "--markdown"] {
                Output.data(reference)
                return .done
            }
            // `tools/docs` uses this output to generate tables in other documentation pages.
            if words.count == 3, words.starts(with: ["help", "--table"]) {
                for line in try ReferenceTable.lines(named: words[2]) { Output.data(line) }
                return .done
            }
            // `tools/docs` uses this output to generate docs/events.schema.json.
            if words == ["help", "--schema", "events"] {
                Output.data(String(decoding: JSONText.pretty(EventReference.schema), as: UTF8.self))
                return .done
            }
            // `tools/docs man` uses this output to generate the manual pages.
            if words.count <= 3, words.starts(with: ["help", "--man"]) {
                let type = try words.dropFirst(2).first.map(command(named:))
                Output.text(
                    Manual.page(
                        of: type?.spec, program: program, summary: summary,
                        commands: commands.map { $0.spec }))
                return .done
            }
            Output.data(first == "help" ? try topic.map(helpOfCommand) ?? help : help)
            return .done
        }
        // The completion scripts of the shells use this output.
        if words.starts(with: ["complete", "--"]) {
            let lines = Completions.lines(
                for: Array(words.dropFirst(2)), of: commands.map { $0.spec },
                defaultProfiles: [StudioCommand.spec.name: StudioCommand.defaultProfile])
            for line in lines { Output.data(line) }
            return .done
        }
        if first == "--version" {
            Output.data("\(program) \(MulticamVersion.current)")
            return .done
        }
        try JobTermination.monitorParent(ProcessInfo.processInfo.environment)
        try UTF8Validation.check()
        let type = try command(named: first)
        let arguments = try type.spec.parse(words.dropFirst())
        if arguments.wantsHelp {
            Output.data(HelpText.of(type.spec))
            return .done
        }
        let command: any Command = try type.init(arguments)
        return try await command.run()
    }

    private static func command(named name: String) throws(UsageError) -> any Command.Type {
        if let command = commands.first(where: { $0.spec.name == name }) { return command }
        let hint = "See `multicam --help`."
        guard !name.isEmpty else { throw UsageError("No command given.", hint: hint) }
        let nearest = name.nearest(among: commands.map { $0.spec.name })
        throw UsageError(
            "Unknown command `\(name.printable())`.\(nearest.map { " Did you mean `\($0)`?" } ?? "")",
            hint: hint)
    }

    private static func helpOfCommand(named name: String) throws(UsageError) -> String {
        HelpText.of(try command(named: name).spec)
    }

    static let summary = "Records several cameras and microphones as one session on one clock."

    private static var help: String {
        HelpText.of(
            program: program, summary: summary,
            groups: groups.map { group in (group.title, group.commands.map { $0.spec }) },
            notes: [
                "Try it without hardware: multicam record --profile pip --virtual --duration 10",
                "Exit status: 0 done; 1 other failure; 2 usage or profile error; 3 device missing or busy; "
                    + "4 no permission; 5 over budget; 6 losses beyond the profile's limit; "
                    + "7 storage failed (data recorded before the failure was saved); 130 aborted.",
            ])
    }

    /// The Markdown reference page of all commands.
    private static var reference: String {
        CommandReference.markdown(
            program: program,
            introduction: [
                "<!-- `tools/docs` generates this page from the command specifications. To change it, edit the specifications and run `tools/docs` again. -->",
                "`multicam COMMAND --help` prints the same text in a terminal. "
                    + "Commands write data to standard output and everything else to standard error. "
                    + "All commands use the same [exit statuses](exit-statuses.md). "
                    + "If a status has a special meaning for a command, the meaning is described below.",
            ],
            commands: commands.map { $0.spec })
    }

    /// Returns the documented exit status for an error.
    static func status(of error: any Error) -> ExitStatus {
        switch error {
        case is UsageError: .usage
        case let error as ProfileError: error.isMissingDevice ? .deviceMissing : .usage
        case let error as RecordingError: status(of: error)
        case let error as SetupError: status(of: error)
        case let error as DeviceError: status(of: error)
        case let error as StillError: status(of: error)
        case let error as FileError: status(of: error)
        case let error as CalibrationError: status(of: error)
        case let error as SyncCheckError: error.isPermission ? .noPermission : .failed
        case let error as RecoveryError: status(of: error)
        case let error as ControlError:
            if case .usage = error { .usage } else { .failed }
        case let error as RenderError: status(of: error)
        case let error as CutError: error.isUnreadable ? .failed : .usage
        case let error as StateFileError: error.isPermission ? .noPermission : .failed
        default: .failed
        }
    }

    private static func status(of error: RecordingError) -> ExitStatus {
        switch error {
        case .device(let error): status(of: error)
        case .file(let error): status(of: error)
        case .encoding, .thread, .busy, .ended, .clockNotRealTime, .invalidDuration: .failed
        case .unknownRole, .nothingToBackUp, .nothingToWrite, .plan, .tap: .usage
        case .stopped: .aborted
        }
    }

    private static func status(of error: RenderError) -> ExitStatus {
        switch error {
        case .stopped: .aborted
        case .nothingToRender, .encoding: .failed
        case .file(let error): status(of: error)
        }
    }

    private static func status(of error: RecoveryError) -> ExitStatus {
        switch error {
        case .unreadable, .busy: .failed
        case .noPermission: .noPermission
        case .storage: .storageFailed
        }
    }

    private static func status(of error: StillError) -> ExitStatus {
        switch error {
        case .noFrame: .deviceMissing
        case .unknownRole: .usage
        case .encoding, .notRunning: .failed
        case .file(let error): status(of: error)
        }
    }

    /// Returns the exit status for a file error. An invalid path is a usage error, and an exceeded process
    /// limit isn't a storage failure.
    private static func status(of error: FileError) -> ExitStatus {
        if error.isPermission { return .noPermission }
        if error.limit != nil, error.limit != .fileSize { return .failed }
        return error.isUsageError ? .usage : .storageFailed
    }

    private static func status(of error: CalibrationError) -> ExitStatus {
        switch error {
        case .usage: .usage
        case .recording(let error): status(of: error)
        }
    }

    private static func status(of error: SetupError) -> ExitStatus {
        switch error {
        case .usage: .usage
        case .profile(let error): error.isMissingDevice ? .deviceMissing : .usage
        case .device(let error): status(of: error)
        case .overBudget: .overBudget
        case .refused(let error): error.reason == .overBudget ? .overBudget : .usage
        }
    }

    private static func status(of error: DeviceError) -> ExitStatus {
        switch error.reason {
        case .noPermission: .noPermission
        case .formatNotSupported: .usage
        case .control(let fault): fault.isUsageError ? .usage : .failed
        case .limit: .failed
        default: .deviceMissing
        }
    }
}

/// Checks that the command line, the path of the current folder, and folder paths in environment variables
/// are valid UTF-8.
///
/// On Linux, paths are byte sequences. The conversion of invalid UTF-8 to text would yield a different path,
/// so a recording would be written to a wrong folder.
enum UTF8Validation {
    private static let variables = [
        "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR",
        "TMPDIR",
    ]

    /// Checks the command line, the environment variables, and the path of the current folder.
    ///
    /// - Throws: `UsageError` with the text that isn't valid UTF-8 and a remedy.
    static func check() throws(UsageError) {
        for index in 0..<Int(CommandLine.argc) {
            guard let word = CommandLine.unsafeArgv[index], index > 0 else { continue }
            guard isValidUTF8(word) else {
                throw UsageError(
                    "`\(printable(word))` is not valid UTF-8. Paths and names must be valid UTF-8. "
                        + "Rename the file, or use another file.")
            }
        }
        for name in variables {
            guard let value = getenv(name), !isValidUTF8(value) else { continue }
            throw UsageError(
                "The value of \(name) is not valid UTF-8 (\(printable(value))). Set it to the path of a folder with a valid UTF-8 name."
            )
        }
        guard let folder = getcwd(nil, 0) else {
            throw UsageError(
                "The current folder no longer exists. Change to another folder with `cd`.")
        }
        defer { free(folder) }
        guard isValidUTF8(folder) else {
            throw UsageError(
                "The name of the current folder is not valid UTF-8 (\(printable(folder))). "
                    + "Change to another folder with `cd`.")
        }
    }

    private static func isValidUTF8(_ bytes: UnsafePointer<CChar>) -> Bool {
        String(validatingCString: bytes) != nil
    }

    private static func printable(_ bytes: UnsafePointer<CChar>) -> String {
        String(cString: bytes).printable(limit: 400)
    }
}
