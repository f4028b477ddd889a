/// An input that represents several files, separated by the ASCII record separator.
struct InputParts {
    private let parts: [ArraySlice<UInt8>]

    /// - Parameters:
    ///   - bytes: The whole input.
    ///   - count: The number of parts. Only the last one may contain separators.
    init(_ bytes: [UInt8], count: Int) {
        parts = bytes.split(separator: 0x1E, maxSplits: count - 1, omittingEmptySubsequences: false)
    }

    /// A part, or `nil` if the input has fewer.
    subscript(_ index: Int) -> [UInt8]? { parts.indices.contains(index) ? Array(parts[index]) : nil }
}
