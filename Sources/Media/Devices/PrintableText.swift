extension String {
    /// The text without what could harm a terminal, a log or a page: control and format characters become `?`, and what
    /// exceeds `limit` characters is cut. For every string that comes from a device or a file.
    public func printable(limit: Int = 200) -> String {
        var result = ""
        var count = 0
        for character in self {
            if count == limit {
                result.append("…")
                break
            }
            let isHarmful = character.unicodeScalars.contains { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
                    .paragraphSeparator:
                    true
                default: false
                }
            }
            // A letter under a tower of combining marks is one character of unlimited length.
            result.append(isHarmful || character.unicodeScalars.count > 8 ? "?" : character)
            count += 1
        }
        return result
    }
}
