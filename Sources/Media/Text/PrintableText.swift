extension String {
    /// The text without what could harm a terminal, a log or a page: control and format characters become `?`, and what
    /// exceeds `limit` characters is cut and ends in `…`. For every string that comes from a device or a file.
    public func printable(limit: Int = 200) -> String {
        var harmless = ""
        for character in self { harmless.append(character.isHarmful ? "?" : character) }
        var result = ""
        var count = 0
        // Looked at anew, since marks that followed something harmful stand on its `?` now.
        for character in harmless {
            if count == limit {
                result.append("…")
                break
            }
            // A letter under a tower of combining marks is one character of unlimited length.
            result.append(character.unicodeScalars.count > 8 ? "?" : character)
            count += 1
        }
        return result
    }
}

extension Character {
    /// Whether a scalar of the character is no text: a control, format, private or unassigned one, or a separator of lines.
    fileprivate var isHarmful: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
                .paragraphSeparator:
                true
            default: false
            }
        }
    }
}
