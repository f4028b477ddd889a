internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamMedia

/// The program of a split recording as one file. The file exists only while it is sent: each piece is read from the parts.
final class JoinedProgram: DownloadContent {
    let byteCount: Int64
    let tag: String?
    let type = "video/mp4"
    private let parts: [RecordedFile]
    /// The pieces, each with its position in the joined file.
    private let pieces: [(start: Int64, piece: JoinedMovie.Piece)]

    /// Creates the joined file.
    ///
    /// - Parameters:
    ///   - movie: The joined movie.
    ///   - parts: The files that the movie's pieces refer to.
    ///   - tag: Identifies this version of the joined file.
    init(_ movie: JoinedMovie, of parts: [RecordedFile], tag: String) {
        (self.parts, self.tag) = (parts, tag)
        var end: Int64 = 0
        pieces = movie.pieces.map { piece in
            defer { end += piece.byteCount }
            return (end, piece)
        }
        byteCount = end
    }

    func read(_ count: Int, at offset: Int64, dropsCache: Bool) -> Data? {
        var found = Data()
        for (start, piece) in pieces {
            let place = offset + Int64(found.count) - start
            guard found.count < count, (0..<piece.byteCount).contains(place) else { continue }
            let wanted = Int(min(Int64(count - found.count), piece.byteCount - place))
            switch piece {
            case .bytes(let bytes): found += bytes[Int(place)..<Int(place) + wanted]
            case .part(let index, let range):
                guard
                    let bytes = parts[index].read(
                        wanted, at: range.lowerBound + place, dropsCache: dropsCache),
                    bytes.count == wanted
                else { return nil }
                found += bytes
            }
        }
        return found.isEmpty ? nil : found
    }
}
