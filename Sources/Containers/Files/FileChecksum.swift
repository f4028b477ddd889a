/// The checksum of a finished file: XXH3 of 128 bits, of all its bytes, those that were rewritten while it was recorded last.
///
/// `{ tail -c +$((start + 1)) FILE; head -c $start FILE; } | xxhsum -H2` prints the same.
public struct FileChecksum: Sendable, Equatable {
    /// 32 hexadecimal digits.
    public let value: String
    /// From which byte on it is computed; what is before follows at the end.
    public let start: Int64

    public init(value: String, start: Int64) {
        self.value = value
        self.start = start
    }
}
