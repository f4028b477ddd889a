internal import Media

/// Escapes words for a page or a drawing.
enum Markup {
    /// Makes words printable, cuts them to `limit` and writes the characters that mean something to XML and HTML as
    /// entities, so that the result can stand between tags and inside quoted attributes of both.
    static func escaped(_ words: String, limit: Int = 400) -> String {
        var result = String.UnicodeScalarView()
        // Scalar by scalar, as a browser reads it: to Swift `"` with an accent is another character than `"`.
        for scalar in words.printable(limit: limit).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;".unicodeScalars
            case "<": result += "&lt;".unicodeScalars
            case ">": result += "&gt;".unicodeScalars
            case "\"": result += "&quot;".unicodeScalars
            case "'": result += "&#39;".unicodeScalars
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
