/// Generates manual pages for man(1) from the same specifications as `HelpText`.
package enum ManualPage {
    /// Returns the manual page of one command, such as `multicam-record(1)`.
    ///
    /// - Parameters:
    ///   - command: The command to describe.
    ///   - version: The program's version.
    ///   - date: The release date of that version, such as `2026-11-21`.
    /// - Returns: The ASCII text of the page with man(7) macros and a trailing line feed.
    package static func of(_ command: CommandSpec, version: String, date: String) -> String {
        let name = "\(command.program)-\(command.name)"
        var lines = head(name, command.summary, command.program, version, date)
        lines += [".SH SYNOPSIS", bold("\(command.program) \(command.name)")]
        for positional in command.positionals {
            let word = italic(positional.name) + (positional.isRepeatable ? " " + escaped("…") : "")
            lines.append(positional.isOptional ? "[\(word)]" : word)
        }
        lines += [escaped("[options]"), ".SH DESCRIPTION"] + prose(command.summary)
        for note in command.notes { lines += [".PP"] + prose(note) }
        if !command.positionals.isEmpty {
            lines.append(".SH ARGUMENTS")
            for positional in command.positionals { lines += item(italic(positional.name), positional.help) }
        }
        for section in command.sections {
            lines.append(".SH " + escaped(section.title.uppercased()))
            for entry in section.entries { lines += item(bold(entry.term), entry.help) }
        }
        lines.append(".SH OPTIONS")
        for option in command.options {
            let value = option.placeholder.map { " " + italic($0) } ?? ""
            let help = option.isRepeatable ? option.help + " Can be repeated." : option.help
            lines += item(bold("--\(option.name)") + value, help)
        }
        lines += [".SH SEE ALSO", reference(command.program)]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the manual page of the program, such as `multicam(1)`.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - summary: The program's purpose, as a sentence.
    ///   - commands: The commands, in the order in which the page lists them.
    ///   - sections: Additional sections, each with a title and a list of terms with descriptions.
    ///   - version: The program's version.
    ///   - date: The release date of that version, such as `2026-11-21`.
    /// - Returns: The ASCII text of the page with man(7) macros and a trailing line feed.
    package static func of(
        program: String, summary: String, commands: [CommandSpec], sections: [HelpSection], version: String,
        date: String
    ) -> String {
        var lines = head(program, summary, program, version, date)
        lines += [".SH SYNOPSIS", bold(program), italic("COMMAND"), escaped("[options]")]
        lines += [".SH DESCRIPTION"] + prose(summary)
        lines +=
            [".PP"]
            + prose(
                "Each command has a separate manual page, and `\(program) COMMAND --help` shows its options.")
        lines.append(".SH COMMANDS")
        for command in commands { lines += item(bold(command.name), command.summary) }
        for section in sections {
            lines.append(".SH " + escaped(section.title.uppercased()))
            for entry in section.entries { lines += item(bold(entry.term), entry.help) }
        }
        lines.append(".SH SEE ALSO")
        let pages = commands.map { reference("\(program)-\($0.name)") }
        lines += pages.dropLast().map { $0 + "," } + pages.suffix(1)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func head(
        _ name: String, _ summary: String, _ program: String, _ version: String, _ date: String
    ) -> [String] {
        // The NAME section consists of one line with the program's name and the summary without a period,
        // because manual page indexes are generated from this line.
        let title = summary.hasSuffix(".") ? String(summary.dropLast()) : summary
        return [
            ".TH \(escaped(name.uppercased())) 1 \(date) \"\(program) \(escaped(version))\" \"\(program)\"",
            ".SH NAME",
        ] + wrapped("\(escaped(name)) \\- \(escaped(title))")
    }

    private static func item(_ term: String, _ help: String) -> [String] { [".TP", term] + prose(help) }

    private static func reference(_ page: String) -> String { bold(page) + "(1)" }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    private static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    /// Returns the lines of a paragraph. Text in backticks becomes bold.
    private static func prose(_ text: String) -> [String] {
        var parts = text.split(separator: "`", omittingEmptySubsequences: false).map { String($0) }
        // A backtick without a matching second backtick is kept as a character.
        if parts.count.isMultiple(of: 2), let last = parts.popLast() { parts[parts.count - 1] += "`" + last }
        let marked = parts.enumerated().map { index, part in
            index.isMultiple(of: 2) ? escaped(part) : part.isEmpty ? "" : bold(part)
        }
        return wrapped(marked.joined())
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.utf8.count + 1 + word.utf8.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                // A line that starts with a period or an apostrophe would be interpreted as a macro.
                lines.append((word.hasPrefix(".") || word.hasPrefix("'") ? "\\&" : "") + word)
            }
        }
        return lines
    }

    private static let width = 76

    /// Converts a text to ASCII and escapes all troff special characters.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits)]"
            }
        }
        return result
    }
}
