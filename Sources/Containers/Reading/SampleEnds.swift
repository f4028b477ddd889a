/// Positions of the first and the last sample of a track. The others are counted and not kept, so a check takes no more memory
/// than the index.
struct SampleEnds {
    /// Offset and size of a sample in the file, in bytes.
    struct Place {
        let offset: Int64
        let byteCount: UInt32
    }

    let first: Place
    let last: Place

    /// Reads the positions; `nil` where a chunk lies outside the media, or the tables contradict each other.
    ///
    /// - Parameters:
    ///   - table: Content of the track's `stbl` box.
    ///   - count: Expected number of samples.
    ///   - media: Byte range of the file in which samples may lie.
    init?(_ table: BoxReader, count: Int, media: Range<Int64>) {
        guard var sizes = table.content("stsz"), sizes.skip(12) != nil,
            var chunks = table.content("co64"), chunks.readVersion() != nil, let chunkCount = chunks.read32(),
            chunks.rest == Int(chunkCount) * 8,
            var runs = table.content("stsc"), runs.readVersion() != nil, let runCount = runs.read32(),
            runs.rest == Int(runCount) * 12
        else { return nil }
        var next = Self.readRun(&runs)
        var (samplesPerChunk, unread) = (0, count)
        var ends: (first: Place, last: Place)?
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
                let place = Place(offset: offset, byteCount: size)
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
