/// Reads text from the fixed arrays of C structs, which Swift sees as tuples.
enum CText {
    /// Reads up to the first zero byte or the end.
    static func text<Tuple>(of array: Tuple) -> String {
        withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
