import CFiles
import Media

/// XXH3 of 128 bits, computed while bytes come: 0.2 ns a byte, a fifth of what SHA-256 takes with instructions of its own for
/// it and a twentieth of what it takes without. One thread at a time.
final class RunningChecksum {
    private let state: OpaquePointer

    /// - Returns: `nil` without memory.
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

    /// Of all that came so far: 32 hexadecimal digits, the high half first.
    var value: String {
        let hash = XXH3_128bits_digest(state)
        return [hash.high64, hash.low64].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
