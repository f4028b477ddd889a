/// Checksum of a finished file: XXH3 of 128 bits over all its bytes, of which those that were rewritten while recording come
/// last.
///
/// `{ tail -c +$((start + 1)) FILE; head -c $start FILE; } | xxhsum -H2` prints the same.
public struct FileChecksum: Sendable, Equatable {
    /// The checksum as 32 hexadecimal digits, the high half first.
    public let value: String
    /// Offset in bytes at which the checksum begins; the bytes before it follow at the end.
    public let start: Int64

    /// Creates a checksum from its digits and its start.
    public init(value: String, start: Int64) {
        self.value = value
        self.start = start
    }
}
