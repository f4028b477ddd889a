import MulticamMedia

/// Reads the fragments of a movie in order and collects their samples. Reading ends at the first fragment
/// that doesn't continue the previous data.
struct FragmentCollector {
    private(set) var tracks: [MovieBoxReader.Track]
    /// For each fragment, the number of samples of each track that precede it.
    private var counts: [[Int]] = []
    private var sequence: UInt32 = 0
    private var pending: FragmentReader?
    private let limit: Int64

    /// Creates a reader that starts before the first fragment.
    ///
    /// - Parameters:
    ///   - beginning: The movie index that precedes the fragments.
    ///   - limit: End of the recording in the file, in bytes.
    init(beginning: MovieBoxReader, limit: Int64) {
        self.limit = limit
        tracks = beginning.tracks
        // Samples that the initial index lists may also be truncated.
        for track in tracks.indices { dropIncomplete(track, from: 0, in: 0..<limit) }
        counts.append(tracks.map { _ in 0 })
    }

    /// Processes the next box of the file.
    ///
    /// - Returns: `false` if the data after this box can't be used.
    mutating func consume(_ box: FileBox, in file: some ReadableFile) throws(FileError) -> Bool {
        switch box.type {
        case "free": return box.isWhole
        case "moof":
            guard box.isWhole, pending == nil,
                let fragment = FragmentReader(
                    BoxReader(try file.read(Int(box.content.count), at: box.content.lowerBound)),
                    start: box.range.lowerBound),
                fragment.sequence == sequence + 1
            else { return false }
            pending = fragment
            return true
        case "mdat":
            guard let fragment = pending else { return counts.count == 1 && sequence == 0 && box.isWhole }
            pending = nil
            sequence = fragment.sequence
            counts.append(tracks.map(\.samples.count))
            let room = box.content.lowerBound..<min(box.content.upperBound, limit)
            for run in fragment.runs {
                guard append(run, from: box.content, within: room) else { return false }
            }
            return box.isWhole
        default: return false
        }
    }

    /// Returns, for each track, the index of the first sample that belongs to the last `count` fragments.
    func recentSamples(_ count: Int) -> [Int] {
        let first = counts.suffix(count).first ?? tracks.map { _ in 0 }
        // The list of samples may have become shorter since the fragment was read, because damaged samples
        // were dropped.
        return zip(first, tracks).map { min($0, $1.samples.count) }
    }

    private mutating func append(
        _ run: FragmentReader.Run, from media: Range<Int64>, within room: Range<Int64>
    ) -> Bool {
        guard let index = tracks.firstIndex(where: { $0.number == run.trackNumber }),
            let first = run.samples.first,
            run.samples.allSatisfy({ $0.isContained(in: media) }),
            MovieBoxReader.isPlausible(first.decode, timeScale: tracks[index].description.timeScale)
        else { return false }
        let shift = -tracks[index].fragmentShift
        alignFirstSamples(of: index, before: first.decode + shift)
        let count = tracks[index].samples.count
        if let last = tracks[index].samples.last {
            guard first.decode + shift > last.decode else { return false }
            // The last sample of a fragment lasts until the first sample of the next fragment, so its exact
            // duration is known only now.
            tracks[index].samples[count - 1].duration = first.decode + shift - last.decode
        }
        tracks[index].samples += run.samples.map { $0.moved(by: shift) }
        dropIncomplete(index, from: count, in: room)
        return true
    }

    /// Sets the time of the first samples of a track that starts after T0. The index before the fragments
    /// doesn't contain this time, so the time is derived from the next fragment. Samples follow each other
    /// without gaps.
    private mutating func alignFirstSamples(of index: Int, before decode: Int64) {
        guard counts.count == 2, let last = tracks[index].samples.last else { return }
        let gap = decode - (last.decode + last.duration)
        guard gap > 0, tracks[index].fragmentShift == 0 else { return }
        tracks[index].samples = tracks[index].samples.map { $0.moved(by: gap) }
    }

    private mutating func dropIncomplete(_ track: Int, from first: Int, in room: Range<Int64>) {
        let samples = tracks[track].samples
        if let torn = samples[first...].firstIndex(where: { !$0.isContained(in: room) }) {
            tracks[track].samples.removeSubrange(torn...)
        }
    }
}

/// Reads the sample list of a fragment (`moof`) in the format that `FragmentBox` writes.
struct FragmentReader {
    /// Samples of one track in the fragment.
    struct Run {
        let trackNumber: UInt32
        /// The samples, with times in track ticks on the decoding timeline of the fragments.
        let samples: [PlacedSample]
    }

    let sequence: UInt32
    let runs: [Run]

    /// Reads the sample list; `nil` if the list isn't in the format that `FragmentBox` writes.
    ///
    /// - Parameters:
    ///   - content: Content of the `moof` box.
    ///   - start: File offset of the `moof` box in bytes. Sample offsets are relative to this offset.
    init?(_ content: BoxReader, start: Int64) {
        guard var header = content.content("mfhd"), header.readVersion() != nil, let number = header.read32()
        else {
            return nil
        }
        sequence = number
        var runs: [Run] = []
        for box in content.boxes() where box.type == "traf" {
            guard let run = Self.readRun(box.content, start: start),
                !runs.contains(where: { $0.trackNumber == run.trackNumber })
            else { return nil }
            runs.append(run)
        }
        guard !runs.isEmpty else { return nil }
        self.runs = runs
    }

    private static func readRun(_ content: BoxReader, start: Int64) -> Run? {
        guard var header = content.content("tfhd"), header.readVersion() != nil, let number = header.read32(),
            var date = content.content("tfdt"), date.readVersion()?.version == 1, let first = date.read64(),
            let decode = Int64(exactly: first), decode < 1 << 60,
            var list = content.content("trun"), let (_, flags) = list.readVersion(), flags & ~0x800 == 0x701,
            let count = list.read32(), let offset = list.read32()
        else { return nil }
        let isReordered = flags & 0x800 != 0
        guard count > 0, list.remainingCount == Int(count) * (isReordered ? 16 : 12) else { return nil }
        var samples: [PlacedSample] = []
        samples.reserveCapacity(Int(count))
        var (place, time) = (start + Int64(offset), decode)
        for _ in 0..<count {
            guard let duration = list.read32(), let size = list.read32(), let sampleFlags = list.read32(),
                let compositionOffset = isReordered ? list.read32() : 0
            else { return nil }
            samples.append(
                PlacedSample(
                    offset: place, byteCount: size, decode: time, compositionOffset: compositionOffset,
                    duration: Int64(duration), isKey: sampleFlags & 0x1_0000 == 0))
            place += Int64(size)
            time += Int64(duration)
        }
        return Run(trackNumber: number, samples: samples)
    }
}
