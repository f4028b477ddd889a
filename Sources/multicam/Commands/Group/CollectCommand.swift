import Arguments
import Media

/// `multicam collect`: brings the parts of a group's recording together.
struct CollectCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "collect",
        summary: "Fetch the folders of a group's recording from all its nodes into one folder.",
        notes: [
            "Run it on the computer that made the group, also while it records: what is there already is not sent again, so it may be "
                + "interrupted and begun anew. It fetches by rsync over SSH, with a key that may read the nodes' recordings and nothing else.",
            "The folder has `group.json`, which tells of the nodes, their clocks and how far these may be apart, and a session folder for "
                + "each node. `verify`, `recover` and `sync-check` take the whole folder.",
            "Prints the folder's path. Exit status 1: a node is silent or its files could not be fetched whole; run it again.",
        ],
        positionals: [
            PositionalSpec("RECORDING", help: "The name that `multicam record --group` has printed.")
        ],
        options: [
            OptionSpec("group", "NAME", help: "Which group, where this computer is in several."),
            OptionSpec(
                "output", "DIR", help: "Where the folder is made. Default: recordings in this folder."),
            OptionSpec(
                "limit", "RATE", help: "The most that is fetched at once, in KiB a second, or as 20M."),
        ])

    private let values: [(key: String, value: String?)]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let limit = arguments.optional("limit")
        if let limit {
            let digits = limit.hasSuffix("M") || limit.hasSuffix("K") ? limit.dropLast() : limit[...]
            guard let number = Int(digits), (1...1_000_000_000).contains(number) else {
                throw arguments.spec.error(
                    "`--limit \(limit.printable())`: expected KiB a second, such as 2000, or 20M.")
            }
        }
        values = [
            ("recording", arguments.positionals.first ?? ""), ("group", arguments.optional("group")),
            ("output", GroupProgram.absolute(arguments.optional("output") ?? "recordings")), ("limit", limit),
        ]
    }

    func run() async throws -> ExitStatus { try GroupProgram.become("collect", values) }
}
