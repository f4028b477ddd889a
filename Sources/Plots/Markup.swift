internal import Media

/// Words for a page or a drawing, whoever wrote them.
enum Markup {
    /// The text without what could harm, with the characters that mean something to XML and HTML written as entities: it can stand
    /// between tags and inside quoted attributes of both.
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
