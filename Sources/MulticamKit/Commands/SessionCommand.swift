package import MulticamControl
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSession

/// A command of `multicam ctl`, from its syntax to its execution.
///
/// Each command is one value in a list such as `recording`. From this value, multicam derives the command's
/// parsing, execution, help, completions, manual page, entry in `docs/reference/commands.md`, and name in the
/// control room.
package struct SessionCommand: Sendable {
    /// A group of related commands, as shown in the help.
    package struct Group: Sendable {
        /// Heading of the group in the help.
        package let title: String
        /// The commands, in the order of the help.
        package let commands: [SessionCommand]
    }

    /// Properties that determine when and on which thread a command runs, and where the command is listed.
    struct Properties: OptionSet, Sendable {
        let rawValue: Int

        /// The command is valid only during a recording.
        static let needsRecording = Self(rawValue: 1)
        /// The command may block the calling thread while it waits for a device, for disk I/O, or for a
        /// recording to start.
        static let blocks = Self(rawValue: 2)
        /// The reply is available immediately, so the command is accepted even while many other commands are
        /// in progress.
        static let isImmediate = Self(rawValue: 4)
        /// The command is accepted even while the recording is ending.
        static let isAlwaysValid = Self(rawValue: 8)
        /// The command irreversibly ends a recording or another activity, so it is never suggested for a
        /// mistyped command.
        static let ends = Self(rawValue: 16)
        /// The command is intended only for other programs, so the help doesn't list it.
        static let isHidden = Self(rawValue: 32)
        /// The reply consists of the camera's controls.
        static let showsControls = Self(rawValue: 64)
    }

    /// Whether the other computers of a group can send a command to this computer.
    ///
    /// A command that can name a file, a device, or a network address must not be allowed.
    enum GroupUse<Input: Sendable>: Sendable {
        case allowed
        /// The command is refused. The associated value is the reason, as a sentence that follows the
        /// command's name and a colon.
        case refused(String)
        /// Whether the command is allowed depends on its arguments. The closure returns the reason for a
        /// refusal, or `nil` to allow the command.
        case conditional(@Sendable (Input) -> String?)

        /// Refuses the command because only the coordinator starts and ends recordings of the group.
        static var coordinatorOnly: Self {
            .refused(
                "only the coordinator can start and stop group recordings. Start the recording there with `multicam record --group`, and stop it with Ctrl-C."
            )
        }

        /// Refuses the command because other computers must not use it.
        static var nodeOnly: Self {
            .refused("this command is allowed only on the node itself. Run it there.")
        }
    }

    /// Executes a command.
    ///
    /// - Parameters:
    ///   - input: The parsed arguments.
    ///   - session: The current session.
    ///   - context: The state of the sessions when the command arrived.
    /// - Returns: The reply, or `nil` if the command passes its reply to `context.answer` instead, now or
    ///   later.
    typealias Perform<Input> =
        @Sendable (_ input: Input, _ session: MulticamSession, _ context: CommandContext) -> ControlReply?

    /// The name, which is the first word of the command.
    package let name: String
    /// Syntax of the arguments, such as `TEXT [at=NS]`. The string is empty if the command has no arguments.
    package let arguments: String
    /// The effect of the command, as a sentence without an initial capital or a final period.
    package let summary: String
    let properties: Properties
    private let parse: @Sendable (CommandArguments) throws(ControlError) -> Parsed

    /// Parsed arguments, and the functions that execute the command with these arguments.
    private struct Parsed: Sendable {
        let input: any Sendable & Equatable
        let groupRefusal: String?
        let perform: @Sendable (MulticamSession, CommandContext) -> ControlReply?
        let performIdle: @Sendable (CommandContext) -> ControlReply
    }

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - name: The name, which is the first word of the command.
    ///   - arguments: Syntax of the arguments, such as `TEXT [at=NS]`.
    ///   - summary: The effect of the command, as a sentence without an initial capital or a final period.
    ///   - properties: Properties that determine when and on which thread the command runs, and where it is
    ///     listed.
    ///   - groupUse: Whether other computers of a group can send the command.
    ///   - parse: Parses the arguments.
    ///   - idle: Executes the command while no session exists. By default, the command is refused.
    ///   - perform: Executes the command on a session.
    init<Input: Sendable & Equatable>(
        _ name: String, _ arguments: String = "", _ summary: String, _ properties: Properties = [],
        groupUse: GroupUse<Input> = .nodeOnly,
        parse: @escaping @Sendable (CommandArguments) throws(ControlError) -> Input,
        idle: (@Sendable (Input, CommandContext) -> ControlReply)? = nil, perform: @escaping Perform<Input>
    ) {
        self.name = name
        self.arguments = arguments
        self.summary = summary
        self.properties = properties
        self.parse = { words throws(ControlError) in
            let input = try parse(words)
            let refusal: String? =
                switch groupUse {
                case .allowed: nil
                case .refused(let sentence): sentence
                case .conditional(let refusal): refusal(input)
                }
            return Parsed(
                input: input, groupRefusal: refusal, perform: { perform(input, $0, $1) },
                performIdle: { idle?(input, $0) ?? CommandContext.notRecordingReply })
        }
    }

    /// The command's name and the syntax of its arguments, such as `mark TEXT [at=NS]`.
    package var usage: String { arguments.isEmpty ? name : "\(name) \(arguments)" }

    /// The description of the command for the help.
    package var help: String {
        properties.contains(.needsRecording) ? "\(summary) (only during a recording)" : summary
    }

    /// Whether the help lists the command.
    package var isListed: Bool { !properties.contains(.isHidden) }
}

extension SessionCommand {
    /// All commands, each of which belongs to one group.
    package static let groups = [
        Group(title: "Recording", commands: recording),
        Group(title: "Program layout", commands: changes(.picture) + [switching] + scenes),
        Group(title: "Program audio", commands: changes(.sound)),
        Group(title: "Cameras, microphones and tracks", commands: devices + changes(.devices)),
        Group(title: "Live output", commands: live),
    ]

    /// All commands, in the order of the help.
    package static let all = groups.flatMap(\.commands)

    /// Names of the commands that the help lists.
    static let listedNames = all.filter(\.isListed).map(\.name)
    private static let suggestibleNames = all.filter { !$0.properties.contains(.ends) }.map(\.name)

    /// Returns the name of a command that starts with the given word. If no name starts with the word,
    /// returns the most similar name. Commands that irreversibly end an activity are never returned.
    private static func suggestion(for word: String) -> String? {
        let longer = all.map(\.name).filter { word.count >= 3 && $0.hasPrefix(word.lowercased()) }
        return longer.count == 1 && suggestibleNames.contains(longer[0])
            ? longer[0] : word.nearest(among: suggestibleNames)
    }

    /// Parses a command.
    ///
    /// - Parameter request: The words of the command, as listed in the help.
    /// - Returns: The command with its parsed arguments.
    /// - Throws: `ControlError.usage` with a message that shows the expected arguments. The errors `notRunning`
    ///   and `system` aren't thrown.
    package static func parse(_ request: CommandRequest) throws(ControlError) -> ParsedCommand {
        guard let name = request.arguments.first else {
            throw .usage("no command specified: expected a command such as `status`.")
        }
        guard let command = all.first(where: { $0.name == name }) else {
            let word = "unknown command `\(name.printable())`"
            throw .usage(suggestion(for: name).map { "\(word); did you mean `\($0)`?" } ?? "\(word).")
        }
        let parsed = try command.parse(
            CommandArguments(name: name, words: Array(request.arguments.dropFirst()), input: request.input))
        return ParsedCommand(
            command: command, input: parsed.input,
            groupRefusal: parsed.groupRefusal.map { "`\(name)`: \($0)" },
            perform: parsed.perform, performIdle: parsed.performIdle)
    }
}

/// A command with parsed arguments.
package struct ParsedCommand: Sendable {
    let command: SessionCommand
    /// The parsed arguments.
    package let input: any Sendable & Equatable
    /// Whether the request must also contain the first line of the client's standard input.
    package var needsInput: Bool { input as? SessionCommand.PublishTarget == .standardInput }
    /// Whether the reply consists of the camera's controls.
    package var showsControls: Bool { command.properties.contains(.showsControls) }
    /// The reason why another computer of a group can't send this command; `nil` if the command is allowed.
    let groupRefusal: String?
    let perform: @Sendable (MulticamSession, CommandContext) -> ControlReply?
    let performIdle: @Sendable (CommandContext) -> ControlReply
}

/// The words of a command after its name.
struct CommandArguments {
    let name: String
    let words: [String]
    /// The address that the command `publish -` received on the client's standard input.
    let input: String?

    /// The words, separated by spaces.
    var text: String { words.joined(separator: " ") }

    /// Throws an error if the command has arguments.
    func checkEmpty() throws(ControlError) {
        guard !words.isEmpty else { return }
        throw .usage("`\(name)` doesn't accept arguments. Remove `\(text.printable())`.")
    }

    /// Parses arguments of the form `NAME=NS`, which specify times in nanoseconds. Each name may occur at
    /// most once.
    ///
    /// - Parameter known: Names of the allowed arguments. The value of `for` must be at least 1; all other
    ///   values must be at least 0.
    /// - Returns: The times by name.
    /// - Throws: `ControlError.usage` if an argument is unknown, repeated, or out of range.
    func times(_ known: [String]) throws(ControlError) -> [String: Int64] {
        var times: [String: Int64] = [:]
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, known.contains(parts[0]), times[parts[0]] == nil,
                let nanoseconds = Int64(parts[1]), nanoseconds >= (parts[0] == "for" ? 1 : 0)
            else {
                throw .usage(
                    "`\(name) \(word.printable(limit: 60))`: expected \(Self.list(known)) in nanoseconds.")
            }
            times[parts[0]] = nanoseconds
        }
        return times
    }

    static func list(_ known: [String]) -> String { known.map { "\($0)=NS" }.joined(separator: ", ") }
}

/// The state of the sessions when a command arrived.
struct CommandContext: Sendable {
    let controller: SessionController
    /// Whether a recording is starting, running, or ending.
    let isRecording: Bool
    /// Whether the end of the recording was requested.
    let isStopRequested: Bool
    /// Time of the command on the session's clock.
    let arrival: ClockTime
    /// The plan of the next session, which is reported as the status while no session exists.
    let pausedPlan: SessionPlan
    /// Sends the reply. Call this closure exactly once, unless `Perform` returns the reply.
    let answer: ControlServer.ReplyHandler

    static let notRecordingReply = ControlReply(ok: false, text: "Nothing is being recorded.")

    static let futureTimeReply = ControlReply(
        ok: false,
        text:
            "`at` is in the future. Specify a past time, in nanoseconds since the start of the recording.",
        usage: true)

    /// Returns the effective time of a command on the session's clock, which is the time of arrival or the
    /// given time relative to T0. Returns `nil` if that time is in the future.
    func instant(_ time: MediaTime?, in session: MulticamSession) -> ClockTime? {
        guard let time, let start = session.status.start else { return arrival }
        let (instant, overflows) = start.nanoseconds.addingReportingOverflow(time.nanoseconds)
        return overflows || instant > arrival.nanoseconds ? nil : ClockTime(nanoseconds: instant)
    }
}
