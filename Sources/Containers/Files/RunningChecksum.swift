import CFiles
import Media

/// Computes XXH3 of 128 bits while bytes arrive: 0.2 ns per byte, a fifth of the time of SHA-256 with processor instructions for
/// it and a twentieth of that without. Only one thread at a time may use it.
final class RunningChecksum {
    private let state: OpaquePointer

    /// Starts a computation; `nil` without memory.
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

    /// Checksum of all bytes so far: 32 hexadecimal digits, the high half first.
    var value: String {
        let hash = XXH3_128bits_digest(state)
        return [hash.high64, hash.low64].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
