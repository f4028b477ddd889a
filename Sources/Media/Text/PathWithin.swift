extension String {
    /// Whether it leads from a folder to something within, as the system reads it: byte by byte. To Swift a `/` with an accent is a
    /// character of its own; to the system it ends a name all the same.
    public var isPathWithin: Bool {
        let names = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return !utf8.contains(0) && names.allSatisfy { !["", ".", ".."].contains(Substring($0)) }
    }
}
