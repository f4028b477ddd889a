internal import Glibc

extension String {
    /// Returns the text without characters that could disrupt a terminal, a log, or a page. Control and
    /// format characters are replaced with `?`; text longer than `limit` characters is truncated and ends
    /// with `…`. Use this method for every string from a device or a file.
    package func printable(limit: Int = 200) -> String {
        var harmless = ""
        for character in self { harmless.append(character.isUnprintable ? "?" : character) }
        var result = ""
        var count = 0
        // The characters are checked again, because combining marks that followed a harmful character now
        // combine with the `?` that replaced it.
        for character in harmless {
            if count == limit {
                result.append("…")
                break
            }
            // A letter with any number of combining marks is a single character in Swift, so its length is
            // unlimited.
            result.append(character.unicodeScalars.count > 8 ? "?" : character)
            count += 1
        }
        return result
    }
}

extension Character {
    /// Whether the character contains a Unicode scalar that isn't text: a control, format, private-use, or
    /// unassigned scalar, or a line separator.
    fileprivate var isUnprintable: Bool {
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

extension String {
    /// Returns the text as a single POSIX shell word, for commands that the user copies. Control characters
    /// are replaced with `?`, and text beyond 4096 characters is truncated.
    package func shellQuoted() -> String {
        let text = printable(limit: 4096)
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
        if !text.isEmpty, text.allSatisfy({ plain.contains($0) }) { return text }
        // A shell processes each scalar separately. `'` with a combining accent is a different character in
        // Swift, but still ends the quoted string in a shell.
        let parts = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.map { String($0) }.joined(separator: #"'\''"#) + "'"
    }
}

extension String {
    /// The text as a sentence, with an initial capital letter and exactly one period at the end.
    package var asSentence: String {
        let text = prefix(1).uppercased() + dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}

extension String {
    /// The text without its final period, for use within another sentence.
    package var trimmingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

extension StringProtocol {
    /// The text without leading and trailing whitespace and line breaks.
    package var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}

extension String {
    /// Returns the word that the user most likely intended, for "did you mean" suggestions. The comparison
    /// ignores case.
    ///
    /// - Returns: The word in `words` with the smallest number of added, omitted, changed, or transposed
    ///   letters. The result is `nil` if even the closest word differs in more than a third of its letters
    ///   (more than one letter for words of three to five), or if the text exceeds 64 bytes.
    package func nearest(among words: some Sequence<String>) -> String? {
        // Text much longer than any word can't match; comparing it would waste time.
        guard utf8.count <= 64 else { return nil }
        let best = words.map { (word: $0, distance: distance(to: $0)) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= best.word.count / 3 else { return nil }
        return best.word
    }

    /// Returns the optimal string alignment distance to `word`, ignoring case.
    private func distance(to word: String) -> Int {
        let (a, b) = (Array(lowercased()), Array(word.lowercased()))
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = Swift.min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = Swift.min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}

extension Double {
    /// Formats the number with a fixed number of decimal places, rounded as in printf(3): `3.14`.
    ///
    /// - Parameters:
    ///   - digits: Digits after the decimal point, 0 to 17.
    ///   - isSigned: Whether nonnegative numbers are preceded by a plus sign.
    /// - Returns: The formatted number; `inf` and `nan` for values that aren't finite.
    package func decimals(_ digits: Int, isSigned: Bool = false) -> String {
        Self.printed(isSigned ? "%+.*f" : "%.*f", [Int32(clamping: min(max(digits, 0), 17)), self])
    }

    /// The number with at most six significant digits and no trailing zeros: `0.5`, `2`, `1e+09`.
    package var shortest: String { Self.printed("%g", [self]) }

    private static func printed(_ format: String, _ values: [any CVarArg]) -> String {
        // The longest floating-point number has 309 digits before the decimal point.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 340) { text in
            let count = withVaList(values) { vsnprintf(text.baseAddress, text.count, format, $0) }
            let written = text.prefix(min(max(Int(count), 0), text.count - 1))
            return String(decoding: written.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}

extension BinaryInteger {
    /// Returns the number padded with leading zeros to the given width: `07`.
    package func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
