import Arguments
import Control
import Glibc
import Interchange
import Media
import MulticamKit
import Profiles
import Rendering
import Session
import SessionFolder
import Setup
import Stills
import Synchrony

/// The program: finds the command, runs it, prints its error, and exits.
@main
struct Multicam {
    static let program = "multicam"

    /// All commands in the order of the help. A new command is its file and a line here.
    static let commands: [any Command.Type] = [
        DevicesCommand.self, ProfilesCommand.self, PlanCommand.self, RecordCommand.self,
        StressCommand.self, CalibrateCommand.self, SyncCheckCommand.self, VerifyCommand.self,
        ExportCommand.self,
        RecordingsCommand.self,
        RecoverCommand.self, IngestCommand.self, RenderCommand.self, CtlCommand.self, DoctorCommand.self,
        PreferCommand.self,
        ControlsCommand.self, SnapshotCommand.self, StudioCommand.self, PreviewCommand.self,
        GroupCommand.self, NodeCommand.self,
        CollectCommand.self,
    ]

    static func main() async {
        Output.openClosedStreams()
        signal(SIGPIPE, SIG_IGN)
        let status = await run(Array(CommandLine.arguments.dropFirst()))
        exit(status.rawValue)
    }

    private static func run(_ words: [String]) async -> ExitStatus {
        let (status, messages) = await answer(to: words)
        for message in messages { Output.message(message) }
        return status
    }

    /// Runs a command line.
    ///
    /// - Returns: The exit status, and the messages of the error when it failed.
    static func answer(to words: [String]) async -> (status: ExitStatus, messages: [String]) {
        do {
            return (try await execute(words), [])
        } catch {
            return (status(of: error), lines(of: error).map { $0.printable(limit: 4000) })
        }
    }

    /// The messages of an error; a profile may have several errors, with one message each.
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
            // `tools/docs` writes the manual's page about commands from this.
            if words == ["help", "--markdown"] {
                Output.data(reference)
                return .done
            }
            // `tools/docs man` writes the manual pages from this.
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
        // The shells' completions ask this.
        if words.starts(with: ["complete", "--"]) {
            let lines = Completions.lines(
                for: Array(words.dropFirst(2)), of: commands.map { $0.spec },
                usualProfiles: [StudioCommand.spec.name: StudioCommand.usualProfile])
            for line in lines { Output.data(line) }
            return .done
        }
        if first == "--version" {
            Output.data("\(program) \(MulticamVersion.current)")
            return .done
        }
        try Surroundings.check()
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
        guard !name.isEmpty else { throw UsageError("no command was given.", hint: hint) }
        let nearest = name.nearest(among: commands.map { $0.spec.name })
        throw UsageError(
            "unknown command `\(name.printable())`\(nearest.map { "; did you mean `\($0)`?" } ?? ".")",
            hint: hint)
    }

    private static func helpOfCommand(named name: String) throws(UsageError) -> String {
        HelpText.of(try command(named: name).spec)
    }

    static let summary = "Records several cameras and microphones as one session on one clock."

    private static var help: String {
        HelpText.of(
            program: program, summary: summary,
            commands: commands.map { $0.spec },
            notes: [
                "Try it without hardware: multicam record --profile pip --virtual --duration 10",
                "Exit status: 0 done; 1 anything else; 2 usage or profile error; 3 device missing or busy; "
                    + "4 no permission; 5 over budget; 6 losses beyond the profile's limit; 7 storage failed, what was "
                    + "recorded is saved; 130 aborted.",
            ])
    }

    private static var reference: String {
        CommandReference.markdown(
            program: program,
            introduction: [
                "<!-- `tools/docs` writes this page from the commands' own specifications. Change those, and run it again. -->",
                "`multicam COMMAND --help` prints the same in a terminal. Data goes to standard output, everything else to "
                    + "standard error. [Exit statuses](exit-statuses.md) are the same for all commands; a command that gives "
                    + "one of them a meaning of its own says so below.",
            ],
            commands: commands.map { $0.spec })
    }

    /// The documented exit status for an error.
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
        case .encoding: .failed
        case .unknownRole, .nothingToCopy, .nothingToWrite, .plan: .usage
        case .stopped: .aborted
        }
    }

    private static func status(of error: RenderError) -> ExitStatus {
        switch error {
        case .stopped: .aborted
        case .nothing, .encoding: .failed
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
        case .encoding: .failed
        case .file(let error): status(of: error)
        }
    }

    /// The exit status for a file's error. An impossible path is the user's mistake: nothing was recorded, and no storage failed.
    private static func status(of error: FileError) -> ExitStatus {
        if error.isPermission { return .noPermission }
        return error.isUserMistake ? .usage : .storageFailed
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
        case .refused(let error): error.isOverBudget ? .overBudget : .usage
        }
    }

    private static func status(of error: DeviceError) -> ExitStatus {
        switch error.reason {
        case .noPermission: .noPermission
        case .formatNotSupported: .usage
        case .control(let fault): fault.isUsage ? .usage : .failed
        default: .deviceMissing
        }
    }
}
