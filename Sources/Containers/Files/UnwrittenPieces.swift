import Glibc
import Media

/// What is left to be written of pieces of memory that follow one another in a file.
struct UnwrittenPieces {
    private let pieces: [SharedBytes]
    /// The first piece that is not wholly written, and how many bytes of it are.
    private var (first, skipped) = (0, 0)

    /// Largest number of pieces in one call on Linux (`UIO_MAXIOV`, writev(2)).
    private static let piecesPerCall = 1024

    init(_ pieces: [SharedBytes]) {
        self.pieces = pieces
    }

    var isEmpty: Bool { first == pieces.count }

    /// The pieces for one call of pwritev(2).
    var vectors: [iovec] {
        var vectors = pieces[first..<min(first + Self.piecesPerCall, pieces.count)].map {
            iovec(iov_base: $0.start, iov_len: $0.count)
        }
        vectors[0].iov_base = vectors[0].iov_base.map { $0 + skipped }
        vectors[0].iov_len -= skipped
        return vectors
    }

    /// Copies the first bytes, as many as there is room.
    ///
    /// - Returns: The number of bytes copied.
    func copy(to room: UnsafeMutableRawBufferPointer) -> Int {
        guard let start = room.baseAddress else { return 0 }
        var (filled, offset) = (0, skipped)
        for piece in pieces[first...] {
            let count = min(piece.count - offset, room.count - filled)
            (start + filled).copyMemory(from: piece.start + offset, byteCount: count)
            filled += count
            offset = 0
            if filled == room.count { break }
        }
        return filled
    }

    /// Notes that the next bytes are written.
    mutating func advance(by count: Int) {
        var count = count
        while first < pieces.count, count >= pieces[first].count - skipped {
            count -= pieces[first].count - skipped
            skipped = 0
            first += 1
        }
        skipped += count
    }
}
