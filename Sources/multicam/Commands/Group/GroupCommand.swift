import Arguments
import Media

/// `multicam group`: makes a group of several computers, serves it, invites into it, and tells how it is.
struct GroupCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "group",
        summary: "Make a group of several computers that record as one, serve it, and tell how it is.",
        sections: [
            HelpSection(
                "Tasks",
                [
                    ("init NAME", "make a group, with this computer as the one that serves it"),
                    ("serve [NAME]", "run its broker, its time and the pairing, until Ctrl-C"),
                    (
                        "invite [NAME]",
                        "print a code with which one computer joins: `multicam node join CODE`"
                    ),
                    ("remove NODE", "take a node's access back"),
                    ("status [NAME]", "who is there, and how each is"),
                ])
        ],
        notes: [
            "The broker is Debian's nats-server, the time chrony's: `group serve` starts both. Each node records alone, into its own "
                + "folder; when the broker, the network or another computer fails, it goes on, and tells afterwards.",
            "Ports: 8474 for the broker, 8475 for pairing (both TCP, TLS), 8476 for time (UDP). Everything between the computers is "
                + "encrypted, and each has a certificate of its own: one cannot speak for another.",
            "NAME may be left out where this computer is in one group only. Exit status of `status`: 1 when a node is silent.",
        ],
        positionals: [
            PositionalSpec("TASK", help: "What to do: init, serve, invite, remove or status."),
            PositionalSpec(
                "NAME", isOptional: true, help: "The group's name, such as `studio`; of `remove` the node's."),
        ],
        options: [
            OptionSpec("group", "NAME", help: "Of `remove`: which group, where this computer is in several."),
            OptionSpec(
                "address", "ADDRESS",
                help:
                    "Of `init`: the IP address or host name by which the others reach this computer. Default: its first."
            ),
            OptionSpec(
                "port", "NUMBER",
                help: "Of `init`: the broker's port, before those of pairing and time. Default: 8474."),
            OptionSpec("minutes", "NUMBER", help: "Of `invite`: how long the code is good. Default: 15."),
            OptionSpec(
                "server", "URL",
                help:
                    "Of `serve`: use this broker, tls://HOST:PORT, which runs with the group's broker.conf, and start none."
            ),
            OptionSpec("json", help: "Of `status`: print a line of JSON for each node."),
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
                "`\(task.printable())` is no task of a group\(nearest.map { "; did you mean `\($0)`?" } ?? ": expected \(Self.tasks.joined(separator: ", ")).")"
            )
        }
        guard name != nil || !["init", "remove"].contains(task) else {
            throw arguments.spec.error(
                task == "init"
                    ? "the group needs a name: `multicam group init studio`."
                    : "which node? `multicam group remove left`.")
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
            ("server", arguments.optional("server")),
            ("json", arguments.flag("json") ? "yes" : nil),
        ]
    }

    func run() async throws -> ExitStatus { try GroupProgram.become(task, values) }
}
