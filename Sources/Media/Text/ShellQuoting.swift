extension String {
    /// The text as one word of a POSIX shell, for a command that a person copies. Control characters become `?`, and text
    /// beyond 4096 characters is cut.
    public func shellQuoted() -> String {
        let text = printable(limit: 4096)
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
        if !text.isEmpty, text.allSatisfy({ plain.contains($0) }) { return text }
        // A shell sees the mark and not what stands on it: `'` with an accent is a character of its own here, and ends the word
        // there.
        let parts = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.map { String($0) }.joined(separator: #"'\''"#) + "'"
    }
}
