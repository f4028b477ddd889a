internal import Media

/// Words for a page or a drawing, whoever wrote them.
enum Markup {
    /// The text without what could harm, with the characters that mean something to XML and HTML written as entities: it can stand
    /// between tags and inside quoted attributes of both.
    static func escaped(_ words: String, limit: Int = 400) -> String {
        var result = ""
        for character in words.printable(limit: limit) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
        return result
    }
}
