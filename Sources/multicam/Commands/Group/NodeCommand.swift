import Arguments
import FoundationEssentials
import Glibc
import Media
import Processes
import Setup

/// `multicam node`: joins a group, and offers this computer to it.
struct NodeCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "node",
        summary:
            "Offer this computer to a group: its recorder stands by, and does what the group's conductor says.",
        sections: [
            HelpSection(
                "Tasks",
                [
                    ("(none)", "offer this computer until Ctrl-C"),
                    ("join CODE", "join the group that made the code by `multicam group invite`"),
                ])
        ],
        notes: [
            "`join` exchanges certificates with the computer that made the group, and lets its key read the folder of recordings here, and "
                + "nothing else: by a line in ~/.ssh/authorized_keys.",
            "The recorder and the program that talks to the group are processes of their own. The latter may die: it is started again, and "
                + "finds the recorder, which goes on. Ctrl-C, SIGTERM and SIGHUP end a recording properly.",
        ],
        positionals: [
            PositionalSpec("TASK", isOptional: true, help: "`join`, or nothing."),
            PositionalSpec("CODE", isOptional: true, help: "Of `join`: the pairing code."),
        ],
        options: ProfileOptions.specs + [
            OptionSpec("group", "NAME", help: "Which group, where this computer is in several."),
            OptionSpec(
                "name", "NAME", help: "Of `join`: this computer's name in the group. Default: its host name."),
            OptionSpec(
                "output", "DIR",
                help:
                    "Where session folders are made. Default of `join`: recordings in this folder; later: as it was then."
            ),
            OptionSpec(
                "page", "URL",
                help:
                    "The address of this computer's control room (`multicam studio --listen`), to which those of the others link."
            ),
            OptionSpec(
                "ssh-port", "NUMBER", help: "Of `join`: the port of this computer's SSH server. Default: 22."),
        ])

    private let task: (name: String, values: [(key: String, value: String?)])

    static let usualProfile = "pip"
    /// The pauses before the program is started again: when it has lived for long, and else.
    private static let pauses = (usual: Nanoseconds.milliseconds(200), early: Nanoseconds.seconds(2))
    private static let soundLife = Nanoseconds.seconds(5)

    init(_ arguments: ParsedArguments) throws(UsageError) {
        if let word = arguments.positionals.first {
            guard word == "join" else {
                throw arguments.spec.error(
                    "`\(word.printable())` is no task of a node: expected `join CODE`, or nothing.")
            }
            guard arguments.positionals.count == 2 else {
                throw arguments.spec.error("`join` needs the code that `multicam group invite` has printed.")
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
        _ = try ProfileOptions.request(arguments, usualProfile: Self.usualProfile)
        var values: [(key: String, value: String?)] = [
            ("group", arguments.optional("group")),
            ("profile", arguments.optional("profile") ?? Self.usualProfile),
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
        task = ("node", values)
    }

    /// The address of the control room, without a token: everybody in the group sees it.
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

    /// The host's name as a name of a node.
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
        guard task.name == "node" else { return try GroupProgram.become(task.name, task.values) }
        let program = try GroupProgram.path()
        let words = [task.name] + task.values.compactMap { key, value in value.map { "\(key)=\($0)" } }
        let present = ConditionLock<ChildProcess?>(nil)
        let ending = Cancellation()
        SignalInbox.open()
        SignalInbox.listen { request in
            guard case .stop = request else { return }
            ending.cancel()
            present.withLock { $0 }?.signal(SIGTERM)
        }
        return await withCheckedContinuation { continuation in
            _ = MediaThread(name: "node") {
                continuation.resume(returning: Self.keep(program, words, present, until: ending))
            }
        }
    }

    /// Runs the program that talks to the group, again and again until the end.
    private static func keep(
        _ program: String, _ words: [String], _ present: ConditionLock<ChildProcess?>,
        until ending: Cancellation
    ) -> ExitStatus {
        let clock = MonotonicClock()
        var isFirst = true
        while true {
            let began = clock.now
            let status: Int32
            do throws(ProcessError) {
                let child = try ChildProcess(program, words)
                present.withLock { $0 = child }
                if ending.isCancelled { child.signal(SIGTERM) }
                let over = Cancellation()
                child.readMessages({ Output.explanation([$0]) }, whenOver: { over.cancel() })
                child.readOutput { Output.data($0) }
                child.finish()
                status = child.wait()
                _ = over.wait(until: clock.now + .seconds(1))
            } catch {
                Output.message(error.description)
                return .failed
            }
            // By itself it ends only when it cannot do its work.
            if ending.isCancelled || (isFirst && status <= 128) {
                return ExitStatus(rawValue: status) ?? .failed
            }
            isFirst = false
            Output.message(
                "the program that talks to the group has ended with status \(status), and is started again. What is recorded goes on."
            )
            let pause = clock.now - began > soundLife ? pauses.usual : pauses.early
            guard clock.sleep(until: clock.now + pause, unless: ending) else { return .done }
        }
    }
}
