import Media

/// Follows a movie's fragments and collects their samples, up to the first fragment that does not continue what is before it.
struct FragmentWalk {
    private(set) var tracks: [MovieBoxReader.Track]
    /// Number of samples that each track had before each fragment.
    private var counts: [[Int]] = []
    private var sequence: UInt32 = 0
    private var pending: FragmentReader?
    private let limit: Int64
    private var isOver = false

    /// Begins before the first fragment.
    ///
    /// - Parameters:
    ///   - beginning: The index before the fragments.
    ///   - limit: End of the recording in the file, in bytes.
    init(beginning: MovieBoxReader, limit: Int64) {
        self.limit = limit
        tracks = beginning.tracks
        // The beginning's samples may be cut off as well.
        for track in tracks.indices { keepWhole(track, from: 0, in: 0..<limit) }
        counts.append(tracks.map { _ in 0 })
    }

    /// Takes the next box of the file.
    ///
    /// - Returns: `false` when nothing after this box can be read.
    mutating func follow(_ box: FileBox, in file: OutputFile) throws(FileError) -> Bool {
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
                guard take(run, from: box.content, within: room) else { return false }
            }
            return box.isWhole
        default: return false
        }
    }

    /// Index of the first sample in each track that belongs to the last `count` fragments.
    func recentSamples(_ count: Int) -> [Int] {
        let first = counts.suffix(count).first ?? tracks.map { _ in 0 }
        // Samples that were dropped since are not checked again.
        return zip(first, tracks).map { min($0, $1.samples.count) }
    }

    private mutating func take(
        _ run: FragmentReader.Run, from media: Range<Int64>, within room: Range<Int64>
    ) -> Bool {
        guard let index = tracks.firstIndex(where: { $0.number == run.trackNumber }),
            let first = run.samples.first,
            run.samples.allSatisfy({ $0.lies(in: media) }),
            MovieBoxReader.isPlausible(first.decode, timeScale: tracks[index].description.timeScale)
        else { return false }
        let shift = -tracks[index].fragmentShift
        placeBeginning(of: index, before: first.decode + shift)
        let count = tracks[index].samples.count
        if let last = tracks[index].samples.last {
            guard first.decode + shift > last.decode else { return false }
            // A sample lasts until the next one, which its own fragment could not tell.
            tracks[index].samples[count - 1].duration = first.decode + shift - last.decode
        }
        tracks[index].samples += run.samples.map { $0.moved(by: shift) }
        keepWhole(index, from: count, in: room)
        return true
    }

    /// Moves the first samples of a track that begins after T0: the index before the fragments does not tell their time, but
    /// samples follow each other without gaps.
    private mutating func placeBeginning(of index: Int, before decode: Int64) {
        guard counts.count == 2, let last = tracks[index].samples.last else { return }
        let gap = decode - (last.decode + last.duration)
        guard gap > 0, tracks[index].fragmentShift == 0 else { return }
        tracks[index].samples = tracks[index].samples.map { $0.moved(by: gap) }
    }

    private mutating func keepWhole(_ track: Int, from first: Int, in room: Range<Int64>) {
        let samples = tracks[track].samples
        if let torn = samples[first...].firstIndex(where: { !$0.lies(in: room) }) {
            tracks[track].samples.removeSubrange(torn...)
        }
    }
}
