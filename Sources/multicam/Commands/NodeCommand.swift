import FoundationEssentials
import Glibc
import MulticamArguments
import MulticamMedia
import MulticamSetup
import MulticamSystem

/// `multicam node`: joins a group and makes this computer available to the group.
struct NodeCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "node",
        summary:
            "Make this computer available to a group, whose coordinator starts recordings.",
        sections: [
            HelpSection(
                "Tasks",
                [
                    ("(none)", "make this computer available until Ctrl-C"),
                    ("join CODE", "join a group with the code printed by `multicam group invite`"),
                ])
        ],
        notes: [
            "`join` exchanges certificates with the computer that created the group. "
                + "It also grants that computer's key read access to the recordings folder by adding a line to ~/.ssh/authorized_keys.",
            "The recorder and the program that communicates with the group are separate processes. "
                + "If the communication program crashes, it is restarted and reconnects, while the recording continues. "
                + "Ctrl-C, SIGTERM, and SIGHUP finish a recording properly.",
        ],
        positionals: [
            PositionalSpec(
                "TASK", isOptional: true,
                help: "`join` to join a group. If omitted, this computer is made available to its group."),
            PositionalSpec("CODE", isOptional: true, help: "For `join`: the pairing code."),
        ],
        options: ProfileOptions.specs + [
            OptionSpec("group", "NAME", help: "Group name, if this computer belongs to several."),
            OptionSpec(
                "name", "NAME",
                help: "For `join`: name of this computer in the group. Default: its host name."),
            OptionSpec(
                "output", "DIR",
                help:
                    "Output folder. Default: `./recordings` for `join`, otherwise the folder set by `join`."
            ),
            OptionSpec(
                "page", "URL",
                help:
                    "Address of this computer's control room (`multicam studio --listen`), for links in the other control rooms."
            ),
            OptionSpec(
                "ssh-port", "NUMBER", help: "For `join`: SSH port of this computer. Default: 22."),
        ])

    private let task: (name: String, values: [(key: String, value: String?)])

    static let defaultProfile = "pip"
    fileprivate static let minStableDuration = Nanoseconds.seconds(5)

    init(_ arguments: ParsedArguments) throws(UsageError) {
        if let word = arguments.positionals.first {
            guard word == "join" else {
                throw arguments.spec.error(
                    "Unknown task `\(word.printable())`. Expected `join CODE`, or no task.")
            }
            guard arguments.positionals.count == 2 else {
                throw arguments.spec.error(
                    "Pairing code missing. To get one, run `multicam group invite` on the computer that created the group."
                )
            }
            task = (
                "join",
                [
                    ("code", arguments.positionals[1]), ("name", arguments.optional("name") ?? Self.hostName),
                    ("output", GroupProgram.absolute(arguments.optional("output") ?? "recordings")),
                    ("ssh-port", arguments.optional("ssh-port")),
                ]
            )
            return
        }
        _ = try ProfileOptions.request(arguments, defaultProfile: Self.defaultProfile)
        var values: [(key: String, value: String?)] = [
            ("group", arguments.optional("group")),
            ("profile", arguments.optional("profile") ?? Self.defaultProfile),
            ("output", arguments.optional("output").map(GroupProgram.absolute)),
            ("program", ProgramPath.own),
            ("page", try Self.page(arguments)),
        ]
        for name in ["camera", "mic"] {
            for (role, selector) in try arguments.pairs(name) {
                values += [("argument", "--\(name)"), ("argument", "\(role)=\(selector)")]
            }
        }
        for name in ["no-mics", "virtual"] where arguments.flag(name) {
            values.append(("argument", "--\(name)"))
        }
        if let pattern = arguments.optional("virtual-pattern") {
            values += [("argument", "--virtual-pattern"), ("argument", pattern)]
        }
        task = ("node", values)
    }

    /// Returns the address of the control room. The address must not contain a token, because all members of
    /// the group can see it.
    private static func page(_ arguments: ParsedArguments) throws(UsageError) -> String? {
        guard let page = arguments.optional("page") else { return nil }
        let isPage = ["http://", "https://"].contains {
            page.hasPrefix($0) && page.utf8.count > $0.utf8.count
        }
        guard isPage, page.utf8.count <= 200, page.printable() == page, !page.contains("#"),
            !page.contains(" ")
        else {
            throw arguments.spec.error(
                "`--page \(page.printable(limit: 100))`: expected an address without a token, such as https://192.168.1.21:8470/."
            )
        }
        return page
    }

    /// The host name of this computer, converted to a valid node name.
    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, 255)
        let host = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let name = host.lowercased().prefix { $0 != "." }.filter {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")
        }
        return name.first?.isLetter ?? false ? String(name.prefix(32)) : "node-\(name.prefix(27))"
    }

    func run() async throws -> ExitStatus {
        guard task.name == "node" else { return try GroupProgram.exec(task.name, task.values) }
        let program = try GroupProgram.path()
        let words = [task.name] + task.values.compactMap { key, value in value.map { "\(key)=\($0)" } }
        try SignalHandler.install()
        let supervision = Supervision(program, words)
        SignalHandler.start { request in
            if case .stop = request { supervision.child.requestEnd() }
        }
        return await withCheckedContinuation { continuation in
            MediaThread.startWhenPossible(name: "node:end") {
                supervision.child.join()
                continuation.resume(returning: supervision.status.withLock { $0 })
            }
        }
    }

    /// Runs the group program, and restarts it whenever it ends, until the node is stopped.
    private struct Supervision {
        let child: SupervisedChild
        /// Exit status of the command.
        let status = ConditionLock(ExitStatus.done)

        init(_ program: String, _ words: [String]) {
            let (isFirst, outputRead) = (ConditionLock(true), ConditionLock<Cancellation?>(nil))
            let policy = SupervisedChild.Policy(
                backoff: Backoff(from: .milliseconds(200), to: .seconds(2)),
                minStableDuration: NodeCommand.minStableDuration)
            var handler = SupervisedChild.Handler(
                start: { [status] in
                    do throws(ProcessError) {
                        let child = try ChildProcess(program, words)
                        let over = Cancellation()
                        outputRead.withLock { $0 = over }
                        child.readMessages({ Output.explanation([$0]) }, whenOver: { over.cancel() })
                        child.readOutput { Output.data($0) }
                        child.closeInput()
                        return .started(child)
                    } catch {
                        Output.message(error.description)
                        status.withLock { $0 = .failed }
                        return .end
                    }
                },
                exited: { [status] exit in
                    let wasFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    // The group program exits by itself only if it can't continue.
                    guard !exit.isRequested, !wasFirst || exit.status > 128 else {
                        status.withLock { $0 = ExitStatus(rawValue: exit.status) ?? .failed }
                        return false
                    }
                    Output.message(
                        "The program that communicates with the group exited with status \(exit.status) and is being restarted. Running recordings continue."
                    )
                    return true
                })
            handler.drain = {
                _ = outputRead.withLock { $0 }?.wait(until: MonotonicClock().now + .seconds(1))
            }
            child = SupervisedChild(thread: "node", policy, handler)
        }
    }
}
