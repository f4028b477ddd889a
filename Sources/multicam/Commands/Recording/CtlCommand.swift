import Arguments
import Control
import FoundationEssentials
import Media
import SessionFolder

/// `multicam ctl`: sends a command to a recording that runs in another terminal.
struct CtlCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "ctl",
        summary: "Change, mark, split or end a running recording, take stills, or ask how it goes.",
        sections: ControlCommand.groups.map { group in
            HelpSection(group.title, group.commands.map { (term: $0.usage, help: $0.help) })
        } + [
            HelpSection(
                "Examples",
                [
                    ("multicam ctl status", "how the recording goes"),
                    ("multicam ctl mark \"question 2\"", "remember this instant"),
                    ("multicam ctl swap", "the other camera as the main one"),
                    ("multicam ctl gain host -6", "half as loud in the program"),
                    ("multicam ctl publish - < ~/.keys/show", "send the program live, too"),
                    ("multicam ctl --process 4312 stop", "end one of several recordings"),
                ])
        ],
        notes: [
            "A change takes effect at once and leaves no gap in any track; the manifest tells of it. The answer comes when the "
                + "recording has come to it. Only the user who records may ask.",
            "Exit status 1: nothing is being recorded, the recording ended before, or it refused; 2: the words make no sense.",
        ],
        positionals: [
            PositionalSpec(
                "WORD", isRepeatable: true, kind: .control,
                help: "What to do, such as `swap` or `layout grid`.")
        ],
        options: [
            OptionSpec("process", "NUMBER", help: "Of which process, where several record."),
            OptionSpec("group", "NAME", help: "To all nodes of the recording that this group makes."),
            OptionSpec("node", "NAME", isRepeatable: true, help: "With --group: to this node alone."),
            OptionSpec("json", help: "Print the answer as a line of JSON."),
        ])

    private let request: CommandRequest
    private let process: Int32?
    private let wantsJSON: Bool
    private let group: String?
    private let nodes: [String]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsJSON = arguments.flag("json")
        group = arguments.optional("group")
        nodes = arguments.all("node")
        process = try arguments.optional("process").map { text throws(UsageError) in
            guard let number = Int32(text), number > 0 else {
                throw arguments.spec.error(
                    "`--process \(text.printable())`: expected the number of a process, as `multicam ctl status` tells it where several record."
                )
            }
            return number
        }
        do throws(ControlError) {
            request = try CommandRequest(words: arguments.positionals)
        } catch {
            throw arguments.spec.error(error.description)
        }
        switch request.command {
        case .add(_, let selector), .addMicrophone(_, let selector), .exchange(_, let selector):
            guard SourceAddress.hasSecret(selector) else { break }
            throw arguments.spec.error(
                "everybody on this computer sees the arguments of a command, and the address has a password or a key: give the role to "
                    + "the camera by `url_from` in the profile.")
        default: break
        }
    }

    /// Reads the address of `publish -` from standard input.
    private static func complete(_ request: CommandRequest) throws(ControlError) -> CommandRequest {
        guard request.command == .publish(.standardInput) else { return request }
        guard let line = readLine() else {
            throw .usage("`publish -` reads an address from standard input, and there was none.")
        }
        return try request.taking(line)
    }

    func run() async throws -> ExitStatus {
        if let group {
            return try GroupProgram.become(
                "ctl",
                [(key: "group", value: group)] + nodes.map { (key: "node", value: $0) }
                    + request.words.map { (key: "word", value: $0) })
        }
        let (given, process) = (request, process)
        let answer = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "ctl") {
                continuation.resume(
                    returning: Result { () throws(ControlError) in
                        try ControlClient().ask(try Self.complete(given), process: process)
                    })
            }
        }
        if case .failure(let error) = answer { UnfinishedText.tell(after: error) }
        let reply = try answer.get()
        if wantsJSON {
            Output.data(JSONText.line(reply))
        } else if let status = reply.status {
            for line in ControlText.lines(status) { Output.data(line) }
        } else if let stills = reply.stills {
            for line in ControlText.lines(stills) { Output.data(line) }
            if !reply.ok { Output.message(reply.text.printable(limit: 1000)) }
        } else if let controls = reply.controls, case .controls = request.command {
            for line in ControlText.lines(controls) { Output.data(line) }
            if !reply.ok { Output.message(reply.text.printable(limit: 1000)) }
        } else {
            Output.message(reply.text.printable(limit: 1000))
        }
        if reply.over_budget ?? false { return .overBudget }
        return reply.ok ? .done : reply.usage ? .usage : .failed
    }
}
