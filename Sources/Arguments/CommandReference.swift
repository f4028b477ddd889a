/// Generates the Markdown reference page of all commands from the same specifications as `HelpText`.
package enum CommandReference {
    /// Returns the complete reference page.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - introduction: Markdown paragraphs below the page's title.
    ///   - commands: The commands, in the order in which the page lists them.
    /// - Returns: The Markdown text of the page without a trailing line feed.
    package static func markdown(program: String, introduction: [String], commands: [CommandSpec]) -> String {
        let index = table(
            ["command", "description"],
            commands.map { ["[`\(program) \($0.name)`](#\(anchor(of: $0)))", escaped($0.summary)] })
        let head = ["# Commands"] + introduction.flatMap { ["", $0] } + [""] + index
        return (head + commands.flatMap { [""] + section(of: $0) }).joined(separator: "\n")
    }

    /// Returns the section about a command, as lines of Markdown.
    static func section(of command: CommandSpec) -> [String] {
        var lines = ["## \(command.program) \(command.name)", "", escaped(command.summary)]
        lines += ["", "```", usage(of: command), "```"]
        if !command.positionals.isEmpty {
            lines += [""] + table("word", command.positionals.map { ($0.name, $0.help) })
        }
        for section in command.sections {
            lines += ["", "### \(section.title)", ""]
            lines += table("word", section.entries.map { ($0.term, $0.help) })
        }
        let options = command.options.map { option in
            (option.usage, option.isRepeatable ? option.help + " Can be repeated." : option.help)
        }
        lines += ["", "### Options", ""] + table("option", options)
        for note in command.notes { lines += ["", escaped(note)] }
        return lines
    }

    private static func usage(of command: CommandSpec) -> String {
        let words = command.positionals.map { positional in
            let name = positional.name + (positional.isRepeatable ? "…" : "")
            return positional.isOptional ? "[\(name)]" : name
        }
        return (["\(command.program) \(command.name)"] + words + ["[options]"]).joined(separator: " ")
    }

    /// Returns the anchor that Markdown renderers derive from the heading of the command's section.
    private static func anchor(of command: CommandSpec) -> String { "\(command.program)-\(command.name)" }

    private static func table(_ kind: String, _ entries: [(term: String, help: String)]) -> [String] {
        table([kind, ""], entries.map { ["`\($0.term)`", escaped($0.help)] })
    }

    /// Returns a table as lines of Markdown.
    ///
    /// - Parameters:
    ///   - head: Titles of the columns.
    ///   - rows: Markdown texts of the cells. Each row must have as many cells as `head`.
    /// - Returns: The header, the separator, and the rows of the table, one line each.
    package static func table(_ head: [String], _ rows: [[String]]) -> [String] {
        [row(head), "|" + head.map { _ in "---|" }.joined()] + rows.map(row)
    }

    /// Returns a table row as Markdown. The character `|` is escaped, because it would end a cell even inside
    /// code.
    private static func row(_ cells: [String]) -> String {
        let texts = cells.map {
            $0.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
        }
        return "|" + texts.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }

    /// Escapes all Markdown markup in a text, except code spans.
    private static func escaped(_ text: String) -> String {
        var isCode = false
        var result = ""
        for character in text {
            switch character {
            case "`":
                isCode.toggle()
                result.append(character)
            case "<" where !isCode: result += "&lt;"
            case "*" where !isCode: result += "\\*"
            default: result.append(character)
            }
        }
        return result
    }
}
