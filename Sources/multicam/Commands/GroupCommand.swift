import FoundationEssentials
import Glibc
import MulticamArguments
import MulticamMedia
import MulticamSystem

/// `multicam group`: creates a group of computers, runs the server of the group, invites computers to the
/// group, and shows the state of the group.
struct GroupCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "group",
        summary: "Create, serve, and manage a group of computers that record together.",
        sections: [
            HelpSection(
                "Tasks",
                [
                    ("init NAME", "create a group that this computer serves"),
                    ("serve [NAME]", "run the group's broker, time server, and pairing service until Ctrl-C"),
                    (
                        "invite [NAME]",
                        "print a code that one computer can use to join: `multicam node join CODE`"
                    ),
                    ("remove NODE", "revoke a node's access"),
                    ("status [NAME]", "list the nodes and their status"),
                ])
        ],
        notes: [
            "`group serve` starts two programs from Debian packages: nats-server as the broker, and chrony as the time server. "
                + "Each node records independently into its own folder. "
                + "If the broker, the network, or another computer fails, the node continues recording and reports afterward.",
            "Ports: 8474 for the broker, 8475 for pairing (both TCP with TLS), 8476 for time (UDP). "
                + "All connections between the computers are encrypted. "
                + "Each computer has a separate certificate, so none can impersonate another.",
            "NAME is optional if this computer belongs to only one group. "
                + "Exit status of `status`: 1 if a node doesn't respond.",
        ],
        positionals: [
            PositionalSpec("TASK", help: "Task: `init`, `serve`, `invite`, `remove`, or `status`."),
            PositionalSpec(
                "NAME", isOptional: true, help: "Group name, such as `studio`; for `remove`, the node's name."
            ),
        ],
        options: [
            OptionSpec(
                "group", "NAME", help: "For `remove`: group name, if this computer belongs to several."),
            OptionSpec(
                "address", "ADDRESS",
                help:
                    "For `init`: IP address or host name at which other computers reach this computer. Default: its first address."
            ),
            OptionSpec(
                "port", "NUMBER",
                help:
                    "For `init`: port of the broker; pairing and time use the next two ports. Default: 8474."),
            OptionSpec(
                "minutes", "NUMBER", help: "For `invite`: validity of the code in minutes. Default: 15."),
            OptionSpec(
                "coordinator",
                help:
                    "For `invite`: allow the new computer to start and stop the group's recordings. By default, only the computer that created the group can do this."
            ),
            OptionSpec(
                "server", "URL",
                help:
                    "For `serve`: use the running broker at tls://HOST:PORT, configured with the group's broker.conf, instead of starting one."
            ),
            OptionSpec("json", help: "For `status`: print a line of JSON for each node."),
        ])

    private static let tasks = ["init", "serve", "invite", "remove", "status"]
    private let task: String
    private let values: [(key: String, value: String?)]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        task = arguments.positionals.first ?? ""
        let name = arguments.positionals.dropFirst().first
        guard Self.tasks.contains(task) else {
            let nearest = task.nearest(among: Self.tasks)
            throw arguments.spec.error(
                "Unknown task `\(task.printable())`\(nearest.map { ". Did you mean `\($0)`?" } ?? ". Expected one of \(Self.tasks.joined(separator: ", ")).")"
            )
        }
        guard name != nil || !["init", "remove"].contains(task) else {
            throw arguments.spec.error(
                task == "init"
                    ? "Group name missing. Example: `multicam group init studio`."
                    : "Node name missing. Example: `multicam group remove left`.")
        }
        func number(_ option: String, _ range: ClosedRange<Int>) throws(UsageError) -> String? {
            guard let text = arguments.optional(option) else { return nil }
            guard let number = Int(text), range.contains(number) else {
                throw arguments.spec.error(
                    "`--\(option) \(text.printable())`: expected a number from \(range.lowerBound) to \(range.upperBound)."
                )
            }
            return text
        }
        if let server = arguments.optional("server"), !server.hasPrefix("tls://") {
            throw arguments.spec.error(
                "`--server \(server.printable())`: expected the address of a broker, such as tls://192.168.1.20:4222."
            )
        }
        values = [
            (task == "remove" ? "node" : "group", name),
            ("group", task == "remove" ? arguments.optional("group") : nil),
            ("address", arguments.optional("address")),
            ("port", try number("port", 1...65_533)),
            ("minutes", try number("minutes", 1...1440)),
            ("coordinator", arguments.flag("coordinator") ? "yes" : nil),
            ("server", arguments.optional("server")),
            ("json", arguments.flag("json") ? "yes" : nil),
        ]
    }

    func run() async throws -> ExitStatus { try GroupProgram.exec(task, values) }
}

/// `multicam collect`: copies the parts of a group recording from all nodes to this computer.
struct CollectCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "collect",
        summary: "Fetch a group recording from all nodes into one folder.",
        notes: [
            "Run this command on the computer that created the group, during or after the recording. "
                + "Existing files are not transferred again, so the command can be interrupted and restarted. "
                + "It uses rsync over SSH with a key that can only read the nodes' recordings.",
            "The folder contains `group.json`, which lists the nodes, their clocks, and the maximum clock difference. "
                + "It also contains a session folder for each node. `verify`, `recover`, and `sync-check` accept the group's folder.",
            "Prints the folder's path. Exit status 1: a node didn't respond, or its files could not be fetched completely. "
                + "In this case, run the command again.",
        ],
        positionals: [
            PositionalSpec(
                "RECORDING", help: "Name of the recording, as printed by `multicam record --group`.")
        ],
        options: [
            OptionSpec("group", "NAME", help: "Group name, if this computer belongs to several."),
            OptionSpec(
                "output", "DIR", help: "Output folder. Default: `./recordings`."),
            OptionSpec(
                "limit", "RATE",
                help: "Maximum transfer rate in KiB per second, or with the suffix M in MiB per second."),
        ])

    private let values: [(key: String, value: String?)]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let limit = arguments.optional("limit")
        if let limit {
            let digits = limit.hasSuffix("M") || limit.hasSuffix("K") ? limit.dropLast() : limit[...]
            guard let number = Int(digits), (1...1_000_000_000).contains(number) else {
                throw arguments.spec.error(
                    "`--limit \(limit.printable())`: expected a rate in KiB per second, such as 2000, or in MiB per second, such as 20M."
                )
            }
        }
        values = [
            ("recording", arguments.positionals.first ?? ""), ("group", arguments.optional("group")),
            ("output", GroupProgram.absolute(arguments.optional("output") ?? "recordings")), ("limit", limit),
        ]
    }

    func run() async throws -> ExitStatus { try GroupProgram.exec("collect", values) }
}

/// The separate program `multicam-group`, which communicates with the other computers of a group.
enum GroupProgram {
    private static let name = "multicam-group"

    /// Returns the path of the group program.
    ///
    /// - Throws: `ProcessError` if the group program isn't found.
    static func path() throws(ProcessError) -> String {
        guard let program = ProgramPath.sibling(name) else {
            throw ProcessError(
                "The helper program \(name) is missing. Build it with `swift build`, or install the package multicam-studio."
            )
        }
        return program
    }

    /// Replaces this process with the group program. The group program inherits the standard streams and the
    /// signal handling.
    ///
    /// - Parameters:
    ///   - task: The name of the task that the group program performs.
    ///   - values: The arguments of the task. Arguments whose value is `nil` are omitted.
    /// - Returns: Nothing, because a successful call replaces the process.
    /// - Throws: `ProcessError` if the group program isn't found or can't be started.
    static func exec(_ task: String, _ values: [(key: String, value: String?)]) throws -> ExitStatus {
        let program = try path()
        let words =
            [program, task]
            + values.compactMap { key, value in value.map { "\(key)=\($0)" } }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        execv(program, &arguments)
        throw ProcessError(
            "Can't start \(program.printable(limit: 1000)): \(String(cString: strerror(errno))).")
    }

    /// Converts a path to an absolute path.
    static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
