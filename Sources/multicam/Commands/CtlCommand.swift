import Arguments
import Foundation
import Media
import MulticamKit
import Session

/// `multicam ctl`: speaks to a recording that runs in another terminal.
struct CtlCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "ctl",
        summary: "Change, mark, split or end a recording that runs, take stills of it, or ask how it goes.",
        notes: ["What can be asked:"]
            + ControlCommand.vocabulary.map { "  \($0.usage): \($0.help)" } + [
                "A change takes effect at once and leaves no gap in any track; the manifest tells of it. Only the user who records "
                    + "may ask.",
                "Exit status 1: nothing is being recorded, or it refused; 2: the words make no sense.",
            ],
        positionals: [
            PositionalSpec("WORD", isRepeatable: true, help: "What to do, such as `swap` or `layout grid`.")
        ],
        options: [
            OptionSpec("process", "NUMBER", help: "Of which process, where several record."),
            OptionSpec("json", help: "Print the answer as a line of JSON."),
        ])

    private let words: [String]
    private let process: Int32?
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        words = arguments.positionals
        wantsJSON = arguments.flag("json")
        process = try arguments.optional("process").map { text throws(UsageError) in
            guard let number = Int32(text), number > 0 else {
                throw arguments.spec.error(
                    "`--process \(text.printable())`: expected the number of a process.")
            }
            return number
        }
        do throws(ControlError) {
            _ = try ControlCommand(words: words)
        } catch {
            throw arguments.spec.error(error.description)
        }
    }

    func run() async throws -> ExitStatus {
        let (words, process) = (words, process)
        let answer = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "ctl") {
                continuation.resume(
                    returning: Result { () throws(ControlError) in
                        try ControlClient().ask(words, process: process)
                    })
            }
        }
        let reply = try answer.get()
        if wantsJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            Output.data(String(decoding: try encoder.encode(reply), as: UTF8.self))
        } else if let status = reply.status {
            for line in ControlText.lines(status) { Output.data(line) }
        } else if let stills = reply.stills {
            for line in ControlText.lines(stills) { Output.data(line) }
            if !reply.ok { Output.message(reply.text.printable(limit: 1000)) }
        } else {
            Output.message(reply.text.printable(limit: 1000))
        }
        return reply.ok ? .done : reply.usage ? .usage : .failed
    }
}
