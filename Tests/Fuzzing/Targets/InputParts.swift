/// An input that stands for several files: texts with ASCII's record separator between them.
struct InputParts {
    private let parts: [ArraySlice<UInt8>]

    /// - Parameters:
    ///   - bytes: The whole input.
    ///   - count: How many parts; the last one may hold anything.
    init(_ bytes: [UInt8], count: Int) {
        parts = bytes.split(separator: 0x1E, maxSplits: count - 1, omittingEmptySubsequences: false)
    }

    /// One part; `nil` where the input has less.
    subscript(_ index: Int) -> [UInt8]? { parts.indices.contains(index) ? Array(parts[index]) : nil }
}
