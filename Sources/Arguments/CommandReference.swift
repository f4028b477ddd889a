/// Renders the manual's page about all commands as Markdown, from the same specifications as `HelpText`.
public enum CommandReference {
    /// The whole page.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - introduction: Paragraphs of Markdown below the page's title.
    ///   - commands: The commands, in the order in which the page lists them.
    /// - Returns: The page without its last line feed.
    public static func markdown(program: String, introduction: [String], commands: [CommandSpec]) -> String {
        let index =
            [
                "| command | what it does |", "|---|---|",
            ] + commands.map { row("[`\(program) \($0.name)`](#\(anchor(of: $0)))", escaped($0.summary)) }
        let head = ["# Commands"] + introduction.flatMap { ["", $0] } + [""] + index
        return (head + commands.flatMap { [""] + section(of: $0) }).joined(separator: "\n")
    }

    /// A command's part of the page, as lines.
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
            (option.usage, option.isRepeatable ? option.help + " May be given several times." : option.help)
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

    /// The anchor that a Markdown renderer derives from the command's headline.
    private static func anchor(of command: CommandSpec) -> String { "\(command.program)-\(command.name)" }

    private static func table(_ kind: String, _ entries: [(term: String, help: String)]) -> [String] {
        let rows = entries.map { row("`\($0.term)`", escaped($0.help)) }
        return ["| \(kind) | |", "|---|---|"] + rows
    }

    /// A row of a table. `|` is escaped, because it would end a cell even in code.
    private static func row(_ cells: String...) -> String {
        let texts = cells.map {
            $0.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
        }
        return "| \(texts.joined(separator: " | ")) |"
    }

    /// The text with all Markdown markup but code escaped.
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
