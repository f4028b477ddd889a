import CFiles
import Media

/// Checksum of a finished file: 128-bit XXH3 of all its bytes. Bytes that were rewritten during the recording are
/// hashed last.
///
/// `{ tail -c +$((start + 1)) FILE; head -c $start FILE; } | xxhsum -H2` prints the same value.
public struct FileChecksum: Sendable, Equatable {
    /// Checksum as 32 hexadecimal digits, high half first.
    public let value: String
    /// Start offset of the hash in bytes. The bytes before this offset are hashed at the end.
    public let start: Int64

    /// Creates a checksum from its digits and its start offset.
    public init(value: String, start: Int64) {
        self.value = value
        self.start = start
    }
}

/// Computes 128-bit XXH3 incrementally. XXH3 takes 0.2 ns per byte: one fifth of the time that SHA-256 takes with
/// dedicated CPU instructions, and one twentieth of the time without them. Not thread-safe: use it from one thread at a
/// time.
final class RunningChecksum {
    private let state: OpaquePointer

    /// Starts a computation; `nil` if memory allocation fails.
    init?() {
        guard let state = XXH3_createState() else { return nil }
        self.state = state
        XXH3_128bits_reset(state)
    }

    deinit {
        XXH3_freeState(state)
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        XXH3_128bits_update(state, start, bytes.count)
    }

    func add(_ pieces: [SharedBytes]) {
        for piece in pieces { add(piece.bytes) }
    }

    /// Checksum of all bytes added up to now: 32 hexadecimal digits, high half first.
    var value: String {
        let hash = XXH3_128bits_digest(state)
        return [hash.high64, hash.low64].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
