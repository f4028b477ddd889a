import Glibc
package import MulticamMedia
package import MulticamSystem

/// Reads finished files again and compares them with the data that was written. Call these functions on a
/// thread that may block on the disk.
package enum FileVerification {
    /// Computes the checksum of an entire file from the data on the disk. The file's pages are first dropped
    /// from the page cache.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - start: File offset in bytes at which hashing starts; see `FileChecksum`.
    ///   - progress: Called on the calling thread with the number of bytes read since the previous call.
    /// - Returns: The size of the file in bytes, and its checksum.
    /// - Throws: `FileError` with the operation "opening" or "reading".
    package static func checksum(
        of path: String, from start: Int64, progress: (Int64) -> Void = { _ in }
    ) throws(FileError) -> (byteCount: Int64, checksum: FileChecksum) {
        try checksum(of: try ContainedFile(path: path), from: start, progress: progress)
    }

    /// Computes the checksum of an entire file inside a folder; see `checksum(of:from:progress:)`.
    package static func checksum(
        of file: ContainedFile, from start: Int64, progress: (Int64) -> Void = { _ in }
    ) throws(FileError) -> (byteCount: Int64, checksum: FileChecksum) {
        let file = try ReadFile(file)
        file.dropCache()
        guard let running = RunningChecksum() else {
            throw FileError(path: file.path, operation: "reading", errno: ENOMEM)
        }
        let turn = min(max(start, 0), file.byteCount)
        for part in [turn..<file.byteCount, 0..<turn] {
            var place = part.lowerBound
            while place < part.upperBound {
                let bytes = try file.read(Int(min(step, part.upperBound - place)), at: place)
                guard !bytes.isEmpty else {
                    throw FileError(
                        path: file.path, operation: "reading",
                        detail: "the file shrank while it was being read."
                    )
                }
                bytes.withUnsafeBytes { running.add($0) }
                place += Int64(bytes.count)
                progress(Int64(bytes.count))
            }
        }
        return (file.byteCount, FileChecksum(value: running.value, start: turn))
    }

    /// Checks a finished movie. The time required depends on the size of the index, not on the size of the
    /// media data.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - summary: Expected content; `nil` checks only whether the file is consistent.
    /// - Returns: A sentence that describes the problem; `nil` if the file is valid.
    package static func fault(ofMovie path: String, expecting summary: MovieSummary? = nil) -> String? {
        fault(expecting: summary) { () throws(FileError) in try ReadFile(try ContainedFile(path: path)) }
    }

    /// Checks a finished movie inside a folder. Returns a sentence that describes the problem; `nil` if the file is
    /// valid.
    package static func fault(ofMovie file: ContainedFile) -> String? {
        fault(expecting: nil) { () throws(FileError) in try ReadFile(file) }
    }

    /// Checks a finished movie that is already open, even if the file was renamed.
    ///
    /// - Parameters:
    ///   - summary: Expected content.
    ///   - file: A closure that opens the file for reading.
    /// - Returns: A sentence that describes the problem; `nil` if the file is valid.
    package static func fault(
        expecting summary: MovieSummary?, in file: () throws(FileError) -> ReadFile
    ) -> String? {
        do throws(FileError) {
            let file = try file()
            file.dropCache()
            return try MovieCheck(file).fault(expecting: summary)
        } catch {
            return error.description
        }
    }

    /// Checks the header, the size, and the end of a finished Broadcast Wave file.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - byteCount: Expected size in bytes; `nil` if unknown.
    ///   - allowsTrailingBytes: Whether additional bytes may follow the data that the header describes. A recovery
    ///     that shortens the audio leaves such additional bytes.
    /// - Returns: A sentence that describes the problem; `nil` if the file is valid.
    package static func fault(
        ofWave path: String, expecting byteCount: Int64? = nil, allowsTrailingBytes: Bool = false
    ) -> String? {
        fault(expecting: byteCount, allowsTrailingBytes: allowsTrailingBytes) { () throws(FileError) in
            try ReadFile(try ContainedFile(path: path))
        }
    }

    /// Checks a finished Broadcast Wave file inside a folder. Returns a sentence that describes the problem; `nil` if
    /// the file is valid.
    package static func fault(ofWave file: ContainedFile, allowsTrailingBytes: Bool) -> String? {
        fault(expecting: nil, allowsTrailingBytes: allowsTrailingBytes) { () throws(FileError) in
            try ReadFile(file)
        }
    }

    /// Checks a finished Broadcast Wave file that is already open, even if the file was renamed.
    ///
    /// - Parameters:
    ///   - byteCount: Expected size in bytes; `nil` if unknown.
    ///   - allowsTrailingBytes: Whether additional bytes may follow the data that the header describes. A recovery
    ///     that shortens the audio leaves such additional bytes.
    ///   - file: A closure that opens the file for reading.
    /// - Returns: A sentence that describes the problem; `nil` if the file is valid.
    package static func fault(
        expecting byteCount: Int64?, allowsTrailingBytes: Bool = false,
        in file: () throws(FileError) -> ReadFile
    ) -> String? {
        do throws(FileError) {
            return try fault(of: try file(), expecting: byteCount, allowsTrailingBytes: allowsTrailingBytes)
        } catch {
            return error.description
        }
    }

    private static func fault(
        of file: ReadFile, expecting byteCount: Int64?, allowsTrailingBytes: Bool
    ) throws(FileError) -> String? {
        file.dropCache()
        if let byteCount, byteCount != file.byteCount {
            return "the file size is \(file.byteCount) bytes instead of \(byteCount)."
        }
        guard let layout = WaveLayout(try file.read(WaveLayout.headerLimit, at: 0)) else {
            return "the file header cannot be read."
        }
        let end = Int64(layout.samplesOffset) + layout.dataSize + layout.dataSize % 2
        guard layout.isPlain(in: file.byteCount), allowsTrailingBytes || end == file.byteCount else {
            return "the header doesn't match the file size."
        }
        let last = min(layout.dataSize, 4096)
        guard try file.read(Int(last), at: end - last).count == Int(last) else {
            return "the end of the file cannot be read."
        }
        return nil
    }

    private static let step: Int64 = 1 << 20
}

/// Compares the index of a finished movie with the contents of the file and with the data that was written.
///
/// The file isn't trusted: no value in the file can make this check read outside the file or use more memory
/// than the size of the index.
struct MovieCheck {
    private let file: ReadFile
    private let byteCount: Int64

    /// Maximum size of a media sample that this check reads, in bytes.
    private static let largestSample: UInt32 = 256 << 20

    init(_ file: ReadFile) {
        self.file = file
        byteCount = file.byteCount
    }

    /// Checks whether the index is valid and matches the file.
    ///
    /// - Returns: A sentence that describes the problem; `nil` if the movie is valid.
    /// - Throws: `FileError` with the operation "reading".
    func fault(expecting summary: MovieSummary?) throws(FileError) -> String? {
        if let summary, summary.byteCount != byteCount {
            return "the file size is \(byteCount) bytes instead of \(summary.byteCount)."
        }
        guard let type = try box(at: 0), type.type == "ftyp", let media = try box(at: type.range.upperBound),
            media.type == "mdat", let index = try box(at: media.range.upperBound), index.type == "moov"
        else { return "the file is not a finished movie." }
        guard index.range.upperBound == byteCount, index.range.count <= MovieLayout.largestIndex else {
            return "the index doesn't end at the end of the file."
        }
        let bytes = try file.read(index.content.count, at: index.content.lowerBound)
        guard bytes.count == index.content.count else { return "the index cannot be read completely." }
        let tracks = BoxReader(bytes).boxes().filter { $0.type == "trak" && !$0.content.isChapterTrack }
        if let summary, summary.tracks.count != tracks.count {
            return "the file has \(tracks.count) tracks instead of \(summary.tracks.count)."
        }
        for (number, track) in tracks.enumerated() {
            let expected = summary?.tracks[number]
            let fault = try fault(of: track.content, in: media.content, expecting: expected)
            if let fault { return "track \(number + 1): \(fault)" }
        }
        return nil
    }

    private func box(at place: Int64) throws(FileError) -> FileBox? {
        guard let box = try FileBox.read(at: place, in: file, end: byteCount), box.isWhole else { return nil }
        return box
    }

    private func fault(
        of track: BoxReader, in media: Range<Int64>, expecting expected: MovieSummary.Track?
    ) throws(FileError) -> String? {
        guard let table = track.content("mdia", "minf", "stbl"), var sizes = table.content("stsz"),
            sizes.skip(8) != nil, let number = sizes.read32(), sizes.remainingCount == Int(number) * 4,
            var entry = table.content("stsd"), entry.skip(12) != nil, let codec = entry.readCode()
        else { return "the index is damaged." }
        let count = Int(number)
        if let expected, expected.sampleCount != count {
            return "the track has \(count) packets instead of \(expected.sampleCount)."
        }
        guard Self.sumOfRuns(table.content("stts")) == count else {
            return "the number of timestamps doesn't match the number of packets."
        }
        var total: Int64 = 0
        while let size = sizes.read32() { total += Int64(size) }
        if let expected, expected.byteCount != total {
            return "the packets contain \(total) bytes instead of \(expected.byteCount)."
        }
        guard count > 0 else { return nil }
        guard let ends = SampleEnds(table, count: count, media: media) else {
            return "the index refers to packets outside the file."
        }
        for sample in [ends.first, ends.last] {
            guard sample.byteCount <= Self.largestSample else { return "a packet is too large." }
            let bytes = try file.read(Int(sample.byteCount), at: sample.offset)
            guard bytes.count == Int(sample.byteCount), PacketCheck.isPacket(bytes, of: codec) else {
                return "the packet at byte \(sample.offset) is damaged."
            }
        }
        return nil
    }

    /// Returns the total number of samples in a run-length table; `nil` if the table is damaged.
    private static func sumOfRuns(_ table: BoxReader?) -> Int? {
        guard var reader = table, reader.readVersion() != nil, let runs = reader.read32(),
            reader.remainingCount == Int(runs) * 8
        else { return nil }
        var sum = 0
        while let length = reader.read32(), reader.skip(4) != nil { sum += Int(length) }
        return sum
    }
}

/// Positions of the first and the last sample of a track. The positions of other samples aren't stored, so a
/// check needs no more memory than the size of the index.
struct SampleEnds {
    /// Byte offset and size of a sample in the file.
    struct Location {
        let offset: Int64
        let byteCount: UInt32
    }

    let first: Location
    let last: Location

    /// Reads the positions of the first and the last sample. The result is `nil` if a chunk is outside the
    /// media data, or if the sample tables contradict each other.
    ///
    /// - Parameters:
    ///   - table: Content of the track's `stbl` box.
    ///   - count: Expected number of samples.
    ///   - media: Byte range of the file in which samples must be located.
    init?(_ table: BoxReader, count: Int, media: Range<Int64>) {
        guard var sizes = table.content("stsz"), sizes.skip(12) != nil,
            var chunks = table.content("co64"), chunks.readVersion() != nil, let chunkCount = chunks.read32(),
            chunks.remainingCount == Int(chunkCount) * 8,
            var runs = table.content("stsc"), runs.readVersion() != nil, let runCount = runs.read32(),
            runs.remainingCount == Int(runCount) * 12
        else { return nil }
        var next = Self.readRun(&runs)
        var (samplesPerChunk, unread) = (0, count)
        var ends: (first: Location, last: Location)?
        for chunk in 0..<chunkCount {
            if let run = next, run.firstChunk == chunk + 1 {
                samplesPerChunk = run.sampleCount
                next = Self.readRun(&runs)
            }
            guard samplesPerChunk <= unread, var offset = chunks.read64().flatMap({ Int64(exactly: $0) }),
                media.contains(offset)
            else { return nil }
            for _ in 0..<samplesPerChunk {
                guard let size = sizes.read32() else { return nil }
                let place = Location(offset: offset, byteCount: size)
                ends = (ends?.first ?? place, place)
                offset += Int64(size)
            }
            unread -= samplesPerChunk
            guard offset <= media.upperBound else { return nil }
        }
        guard unread == 0, let ends else { return nil }
        (first, last) = ends
    }

    private static func readRun(_ runs: inout BoxReader) -> (firstChunk: UInt32, sampleCount: Int)? {
        guard let chunk = runs.read32(), let samples = runs.read32(), runs.skip(4) != nil else { return nil }
        return (chunk, Int(samples))
    }
}
