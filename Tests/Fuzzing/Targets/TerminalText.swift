import MulticamMedia

@testable import MulticamPlots

/// Tests strings from devices and files that are written to a terminal, log, shell, or page.
final class TerminalText: FuzzTarget {
    static let name = "terminal"
    static let limit = 1024

    init(folder: String) {}

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let text = String(decoding: bytes, as: UTF8.self)
        let shown = text.printable()
        // The ellipsis exceeds the limit by one. A character has at most eight scalars of at most four bytes.
        try requireDisplayable(shown, limit: 200 * 32 + 3)
        try require(shown.count <= 201, "\(shown.count) characters are shown of at most 200")
        try require(
            shown.printable() == shown, "what is printable already is changed: \(shown.debugDescription)")
        try requireDisplayable(Markup.escaped(text), limit: 400 * 32 * 6)
        try require(
            !Markup.escaped(text).unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) },
            "a page would see markup in \(text.debugDescription)")
        let word = text.shellQuoted()
        try require(
            Self.unquoted(word) == text.printable(limit: 4096), "a shell would not read \(word) as one word")
        if let nearest = text.nearest(among: Self.words) {
            try require(Self.words.contains(nearest), "the nearest word is none of those asked for")
        }
    }

    private static let words = ["cameras", "microphones", "program", "grid", "any"]

    /// Parses a word like a POSIX shell. Returns `nil` if the text isn't exactly one word.
    private static func unquoted(_ word: String) -> String? {
        var (result, isQuoted) = (String.UnicodeScalarView(), false)
        var scalars = word.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case "'": isQuoted.toggle()
            case "\\" where !isQuoted:
                guard let next = scalars.next() else { return nil }
                result.append(next)
            case " ", "|", "&", ";", "<", ">", "(", ")", "$", "`", "\"", "*", "?", "[", "#", "~", "!", "{":
                guard isQuoted else { return nil }
                result.append(scalar)
            default: result.append(scalar)
            }
        }
        return isQuoted ? nil : String(result)
    }
}
