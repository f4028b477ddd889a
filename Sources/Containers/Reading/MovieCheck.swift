import Media

/// Reads the index of a finished movie and holds it against the file and against what was written.
///
/// Everything in the file is doubted: no number makes it read outside the file, or take more memory than the index has bytes.
struct MovieCheck {
    private let file: ReadFile
    private let byteCount: Int64

    /// An index of more is damaged: ten hours of four tracks have some ten MB.
    private static let largestIndex: Int64 = 1 << 30
    /// A picture of more is not read.
    private static let largestSample: UInt32 = 256 << 20

    init(_ file: ReadFile) {
        self.file = file
        byteCount = file.byteCount
    }

    /// - Returns: A sentence; `nil` when nothing is wrong.
    func fault(holding summary: MovieSummary?) throws(FileError) -> String? {
        if let summary, summary.byteCount != byteCount {
            return "it has \(byteCount) bytes in place of \(summary.byteCount)."
        }
        guard let type = try box(at: 0), type.name == "ftyp", let media = try box(at: type.range.upperBound),
            media.name == "mdat", let index = try box(at: media.range.upperBound), index.name == "moov"
        else { return "it is not a finished movie." }
        guard index.range.upperBound == byteCount, index.range.count <= Self.largestIndex else {
            return "its index does not end with the file."
        }
        let bytes = try file.read(index.range.count, at: index.range.lowerBound)
        guard bytes.count == index.range.count else { return "its index cannot be read to its end." }
        let tracks = IndexCursor(bytes).boxes(in: 8..<bytes.count).filter { $0.name == "trak" }
        if let summary, summary.tracks.count != tracks.count {
            return "it has \(tracks.count) tracks in place of \(summary.tracks.count)."
        }
        for (number, track) in tracks.enumerated() {
            let expected = summary?.tracks[number]
            let fault = try fault(of: IndexCursor(bytes), track.content, in: media.content, holding: expected)
            if let fault { return "track \(number + 1): \(fault)" }
        }
        return nil
    }

    private struct Box {
        let name: String
        let range: Range<Int64>
        let content: Range<Int64>
    }

    private func box(at place: Int64) throws(FileError) -> Box? {
        let head = try file.read(16, at: place)
        let cursor = IndexCursor(head)
        guard var size = cursor.number(0, 4).flatMap({ Int64(exactly: $0) }), head.count >= 8 else {
            return nil
        }
        var headSize: Int64 = 8
        if size == 1 {
            guard let large = cursor.number(8, 8).flatMap({ Int64(exactly: $0) }) else { return nil }
            (size, headSize) = (large, 16)
        }
        guard size >= headSize, size <= byteCount - place else { return nil }
        return Box(
            name: cursor.name(4), range: place..<place + size, content: place + headSize..<place + size)
    }

    private func fault(
        of index: IndexCursor, _ track: Range<Int>, in media: Range<Int64>,
        holding expected: MovieSummary.Track?
    ) throws(FileError) -> String? {
        guard let table = index.content("mdia", "minf", "stbl", in: track),
            let sizes = index.content("stsz", in: table), let count = index.number(sizes.lowerBound + 8, 4),
            Int(count) * 4 + 12 == sizes.count,
            let entry = index.content("stsd", in: table), entry.count >= 16
        else { return "its index is damaged." }
        let codec = index.name(entry.lowerBound + 12)
        if let expected, expected.sampleCount != Int(count) {
            return "it has \(count) packets in place of \(expected.sampleCount)."
        }
        guard index.sumOfRuns("stts", in: table) == Int(count) else {
            return "its times and its packets do not agree."
        }
        var total: Int64 = 0
        for sample in 0..<Int(count) {
            total += Int64(index.number(sizes.lowerBound + 12 + sample * 4, 4) ?? 0)
        }
        if let expected, expected.byteCount != total {
            return "its packets have \(total) bytes in place of \(expected.byteCount)."
        }
        guard count > 0 else { return nil }
        guard let ends = index.firstAndLast(sizes: sizes, count: Int(count), in: table, media: media) else {
            return "it names packets that are not in the file."
        }
        for sample in ends {
            guard sample.size <= Self.largestSample else { return "a packet of it is too large." }
            let bytes = try file.read(Int(sample.size), at: sample.place)
            guard bytes.count == Int(sample.size), PacketCheck.isPacket(bytes, of: codec) else {
                return "the packet at byte \(sample.place) is not what it should be."
            }
        }
        return nil
    }
}
