import MulticamMedia

/// The readable content of a movie file: all tracks, with every sample that the file contains completely.
struct MovieContent {
    let layout: MovieLayout
    let createdAt: Int64
    let movieTimeScale: Int64
    var tracks: [MovieBoxReader.Track]
    /// State of the complete index that is written at the end of the movie.
    private(set) var index: Index
    /// For each track, index of the first sample in the most recent fragments. After a power loss, data of
    /// these fragments may be missing.
    private(set) var recentSamples: [Int]

    /// State of a complete index.
    enum Index: Equatable {
        /// The index is active: the file is a plain movie.
        case active
        /// A complete index is stored at this byte offset but isn't activated yet.
        case inactive(at: Int64)
        case none
    }

    /// Whether the movie contains frames or audio.
    var hasSamples: Bool { tracks.contains { !$0.samples.isEmpty && $0.description.codec != nil } }

    /// Number of recent fragments whose samples are read and checked. The number of fragments that aren't on
    /// the disk yet is always lower, unless the disk hangs.
    private static let recentFragments = 8

    /// Reads a movie file; `nil` if the file doesn't contain any samples.
    ///
    /// - Throws: `FileError` with the operation "reading".
    init?(reading file: some ReadableFile, layout: MovieLayout) throws(FileError) {
        self.layout = layout
        guard let place = layout.boxes.firstIndex(where: { $0.type == "moov" && $0.isWhole }),
            var movie = try Self.readIndex(layout.boxes[place], file, layout)
        else { return nil }
        if layout.boxes[0].type == "mdat" {
            guard !movie.isInitialIndex, place == 1 else { return nil }
            index = .active
            recentSamples = movie.tracks.map { _ in 0 }
        } else {
            guard movie.isInitialIndex, place == 1 else { return nil }
            var fragments = FragmentCollector(beginning: movie, limit: layout.end)
            for box in layout.boxes[(place + 1)...] {
                guard try fragments.consume(box, in: file) else { break }
            }
            let found = fragments.tracks
            recentSamples = fragments.recentSamples(Self.recentFragments)
            if let last = layout.boxes.last, last.type == "moov", last.isWhole, last != layout.boxes[place],
                let complete = try Self.readIndex(last, file, layout), !complete.isInitialIndex,
                Self.listsSamples(complete.tracks, found)
            {
                index = .inactive(at: last.range.lowerBound)
                movie = complete
            } else {
                index = .none
                movie = MovieBoxReader(movie, tracks: found)
            }
        }
        createdAt = movie.createdAt
        movieTimeScale = movie.movieTimeScale
        tracks = movie.tracks
        if index != .active {
            try dropDamaged(file)
            dropEmptyTimecodeTracks()
        }
    }

    private static func readIndex(_ box: FileBox, _ file: some ReadableFile, _ layout: MovieLayout)
        throws(FileError) -> MovieBoxReader?
    {
        let bytes = try file.read(Int(box.content.count), at: box.content.lowerBound)
        guard bytes.count == box.content.count else { return nil }
        var failure: FileError?
        let movie = MovieBoxReader(BoxReader(bytes), kind: layout.kind) { place in
            do throws(FileError) {
                var reader = BoxReader(try file.read(4, at: place))
                return reader.read32()
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { throw failure }
        // All samples that the index lists must be between the reserved header and the end of the recording.
        let room = layout.reservedOffset + 16..<layout.end
        guard let movie,
            movie.tracks.allSatisfy({
                $0.samples.allSatisfy { $0.isContained(in: room) || movie.isInitialIndex }
            })
        else { return nil }
        return movie
    }

    /// Whether an index lists all samples of the fragments.
    private static func listsSamples(_ complete: [MovieBoxReader.Track], _ found: [MovieBoxReader.Track])
        -> Bool
    {
        found.allSatisfy { track in
            guard let other = complete.first(where: { $0.number == track.number }) else { return false }
            return other.samples.count == track.samples.count
                && zip(other.samples, track.samples).allSatisfy {
                    $0.offset == $1.offset && $0.byteCount == $1.byteCount
                }
        }
    }

    /// Truncates each track at its first damaged sample. Only recent samples are checked.
    private mutating func dropDamaged(_ file: some ReadableFile) throws(FileError) {
        for track in tracks.indices {
            let check = SampleCheck(codec: tracks[track].description.codec)
            for sample in tracks[track].samples.indices.dropFirst(recentSamples[track]) {
                let place = tracks[track].samples[sample]
                let bytes = try file.read(Int(place.byteCount), at: place.offset)
                guard bytes.count == Int(place.byteCount), check.isWhole(bytes, at: place.offset) else {
                    tracks[track].samples.removeSubrange(sample...)
                    // An index that lists the damaged sample must not be activated.
                    index = .none
                    break
                }
            }
        }
    }

    /// Removes each timecode track whose only label is missing. Players then show the movie without a
    /// timecode.
    private mutating func dropEmptyTimecodeTracks() {
        let missing = tracks.indices.filter {
            tracks[$0].description.isTimecode && tracks[$0].samples.isEmpty
        }
        for track in missing.reversed() {
            tracks.remove(at: track)
            recentSamples.remove(at: track)
        }
        if !missing.isEmpty { index = .none }
    }
}

extension PlacedSample {
    /// Whether all bytes of the sample are inside the byte range `part` of the file.
    func isContained(in part: Range<Int64>) -> Bool {
        offset >= part.lowerBound && offset + Int64(byteCount) <= part.upperBound
    }
}

extension MovieTrack {
    /// Codec of the track; `nil` for timecode.
    var codec: StreamParameters.Codec? {
        switch self {
        case .video(let parameters, _, _), .audio(let parameters, _): parameters.codec
        case .timecode: nil
        }
    }
}

/// Box layout of a movie file that multicam recorded. Only the box headers are read, regardless of the size
/// of the media data.
struct MovieLayout {
    let kind: MovieKind
    /// Byte offset of the 16 reserved bytes, which become the header of the media data when the file is
    /// finished.
    let reservedOffset: Int64
    /// The boxes in the file starting at `reservedOffset`, up to the first box whose type multicam doesn't
    /// write.
    let boxes: [FileBox]
    /// Byte offset of the end of the recording. The recording ends at the end of the file, unless an earlier
    /// recovery stored the end of the recording and then appended an index.
    let end: Int64

    /// Maximum size of a fragment's sample list in bytes. A larger list is considered damaged.
    private static let largestList: Int64 = 16 << 20
    /// Maximum size of a recording's index in bytes. A larger index is considered damaged.
    static let largestIndex: Int64 = 1 << 30

    /// Reads the box headers of a file; `nil` if the start of the file differs from the files that multicam
    /// writes.
    ///
    /// - Parameters:
    ///   - file: The movie file to read.
    ///   - byteCount: Size of the file in bytes.
    /// - Throws: `FileError` with the operation "reading".
    init?(of file: some ReadableFile, byteCount: Int64) throws(FileError) {
        let start = try file.read(512, at: 0)
        guard let kind = [MovieKind.mp4, .mov].first(where: { start.starts(with: $0.fileType) }) else {
            return nil
        }
        self.kind = kind
        reservedOffset = Int64(kind.fileType.count)
        guard let reserved = try FileBox.read(at: reservedOffset, in: file, end: byteCount) else {
            return nil
        }
        var end = byteCount
        if reserved.type == "free" {
            guard reserved.range.count == 16 else { return nil }
            end = try Self.journalledEnd(start, at: Int(reservedOffset) + 8, byteCount: byteCount)
        } else {
            guard reserved.type == "mdat", reserved.headerSize == 16 else { return nil }
        }
        self.end = end
        var boxes = [reserved]
        while let last = boxes.last, last.isWhole,
            let next = try FileBox.read(at: last.range.upperBound, in: file, end: end),
            Self.isKnownBox(next)
        {
            boxes.append(next)
        }
        self.boxes = boxes
    }

    /// Returns the end of the recording in bytes, which a recovery stores before it appends an index.
    private static func journalledEnd(_ start: [UInt8], at place: Int, byteCount: Int64) throws(FileError)
        -> Int64
    {
        guard place + 8 <= start.count else { return byteCount }
        var reader = BoxReader(Array(start[place..<place + 8]))
        guard let end = reader.read64().flatMap({ Int64(exactly: $0) }), end > Int64(place) + 8 else {
            return byteCount
        }
        return min(end, byteCount)
    }

    private static func isKnownBox(_ box: FileBox) -> Bool {
        switch box.type {
        case "moof": box.range.count <= largestList
        case "moov": box.range.count <= largestIndex
        case "mdat", "free": true
        default: false
        }
    }
}
