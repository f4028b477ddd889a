/// Generates help text for terminals with at least 80 columns.
package enum HelpText {
    private static let width = 80
    private static let column = 28

    /// Returns the help text of one command.
    package static func of(_ command: CommandSpec) -> String {
        let words = command.positionals.map { positional in
            let name = positional.name + (positional.isRepeatable ? "…" : "")
            return positional.isOptional ? "[\(name)]" : name
        }
        let usage = ["Usage: \(command.program) \(command.name)"] + words + ["[options]"]
        var lines = [command.summary, "", usage.joined(separator: " ")]
        if !command.positionals.isEmpty {
            lines.append("")
            for positional in command.positionals { lines += entry(positional.name, positional.help) }
        }
        for section in command.sections {
            lines += ["", "\(section.title):"]
            for item in section.entries { lines += entry(item.term, item.help) }
        }
        lines += ["", "Options:"]
        for option in command.options { lines += entry(option.usage, option.help) }
        for note in command.notes { lines += [""] + wrapped(note, width: width) }
        return lines.joined(separator: "\n")
    }

    /// Returns the help text of the program, which describes its purpose and lists its commands.
    package static func of(
        program: String, summary: String, groups: [(title: String, commands: [CommandSpec])], notes: [String]
    ) -> String {
        var lines = [summary, "", "Usage: \(program) COMMAND [options]"]
        for group in groups {
            lines += ["", "\(group.title):"]
            for command in group.commands { lines += entry(command.name, command.summary) }
        }
        lines += ["", "`\(program) COMMAND --help` shows the options of a command."]
        for note in notes { lines += [""] + wrapped(note, width: width) }
        return lines.joined(separator: "\n")
    }

    private static func entry(_ term: String, _ help: String) -> [String] {
        let texts = wrapped(help, width: width - column)
        let indent = String(repeating: " ", count: column)
        let head = "  " + term
        guard head.count < column - 1 else { return [head] + texts.map { indent + $0 } }
        let first = head + String(repeating: " ", count: column - head.count) + (texts.first ?? "")
        return [first] + texts.dropFirst().map { indent + $0 }
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
