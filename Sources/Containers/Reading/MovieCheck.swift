import Media

/// Compares the index of a finished movie with the file and with what was written.
///
/// The file is not trusted: no number makes the check read outside the file, or take more memory than the index has bytes.
struct MovieCheck {
    private let file: ReadFile
    private let byteCount: Int64

    /// Largest sample in bytes that is read.
    private static let largestSample: UInt32 = 256 << 20

    init(_ file: ReadFile) {
        self.file = file
        byteCount = file.byteCount
    }

    /// Checks the movie.
    ///
    /// - Returns: What is wrong, as a sentence; `nil` when nothing is.
    /// - Throws: `FileError` "read".
    func fault(holding summary: MovieSummary?) throws(FileError) -> String? {
        if let summary, summary.byteCount != byteCount {
            return "it has \(byteCount) bytes in place of \(summary.byteCount)."
        }
        guard let type = try box(at: 0), type.type == "ftyp", let media = try box(at: type.range.upperBound),
            media.type == "mdat", let index = try box(at: media.range.upperBound), index.type == "moov"
        else { return "it is not a finished movie." }
        guard index.range.upperBound == byteCount, index.range.count <= MovieLayout.largestIndex else {
            return "its index does not end with the file."
        }
        let bytes = try file.read(index.content.count, at: index.content.lowerBound)
        guard bytes.count == index.content.count else { return "its index cannot be read to its end." }
        let tracks = BoxReader(bytes).boxes().filter { $0.type == "trak" && !$0.content.isChapterTrack }
        if let summary, summary.tracks.count != tracks.count {
            return "it has \(tracks.count) tracks in place of \(summary.tracks.count)."
        }
        for (number, track) in tracks.enumerated() {
            let expected = summary?.tracks[number]
            let fault = try fault(of: track.content, in: media.content, holding: expected)
            if let fault { return "track \(number + 1): \(fault)" }
        }
        return nil
    }

    private func box(at place: Int64) throws(FileError) -> FileBox? {
        guard let box = try FileBox.read(at: place, in: file, end: byteCount), box.isWhole else { return nil }
        return box
    }

    private func fault(
        of track: BoxReader, in media: Range<Int64>, holding expected: MovieSummary.Track?
    ) throws(FileError) -> String? {
        guard let table = track.content("mdia", "minf", "stbl"), var sizes = table.content("stsz"),
            sizes.skip(8) != nil, let number = sizes.read32(), sizes.rest == Int(number) * 4,
            var entry = table.content("stsd"), entry.skip(12) != nil, let codec = entry.readCode()
        else { return "its index is damaged." }
        let count = Int(number)
        if let expected, expected.sampleCount != count {
            return "it has \(count) packets in place of \(expected.sampleCount)."
        }
        guard Self.sumOfRuns(table.content("stts")) == count else {
            return "its times and its packets do not agree."
        }
        var total: Int64 = 0
        while let size = sizes.read32() { total += Int64(size) }
        if let expected, expected.byteCount != total {
            return "its packets have \(total) bytes in place of \(expected.byteCount)."
        }
        guard count > 0 else { return nil }
        guard let ends = SampleEnds(table, count: count, media: media) else {
            return "it names packets that are not in the file."
        }
        for sample in [ends.first, ends.last] {
            guard sample.byteCount <= Self.largestSample else { return "a packet of it is too large." }
            let bytes = try file.read(Int(sample.byteCount), at: sample.offset)
            guard bytes.count == Int(sample.byteCount), PacketCheck.isPacket(bytes, of: codec) else {
                return "the packet at byte \(sample.offset) is not what it should be."
            }
        }
        return nil
    }

    /// Number of samples in the runs of a table; `nil` where it is damaged.
    private static func sumOfRuns(_ table: BoxReader?) -> Int? {
        guard var reader = table, reader.readVersion() != nil, let runs = reader.read32(),
            reader.rest == Int(runs) * 8
        else { return nil }
        var sum = 0
        while let length = reader.read32(), reader.skip(4) != nil { sum += Int(length) }
        return sum
    }
}
