/// An input that represents several files, which are separated by the ASCII record separator.
struct InputParts {
    private let parts: [ArraySlice<UInt8>]

    /// - Parameters:
    ///   - bytes: All bytes of the input.
    ///   - count: The number of parts. Only the last one may contain separators.
    init(_ bytes: [UInt8], count: Int) {
        parts = bytes.split(separator: 0x1E, maxSplits: count - 1, omittingEmptySubsequences: false)
    }

    /// Returns a part, or `nil` if the input has fewer parts.
    subscript(_ index: Int) -> [UInt8]? { parts.indices.contains(index) ? Array(parts[index]) : nil }
}
