extension String {
    /// Whether the text is a relative path that stays within a folder: without empty names, `.`, `..` and zero bytes.
    ///
    /// It is read byte by byte, as the system does. To Swift a `/` with an accent is a character of its own; to the system
    /// it ends a name all the same.
    public var isPathWithin: Bool {
        let names = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return !utf8.contains(0) && names.allSatisfy { !["", ".", ".."].contains(Substring($0)) }
    }
}
