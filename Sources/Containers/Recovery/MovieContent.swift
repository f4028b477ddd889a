import Media

/// The readable content of a movie file: its tracks with every sample that is wholly in the file.
struct MovieContent {
    let layout: MovieLayout
    let createdAt: Int64
    let movieTimeScale: Int64
    var tracks: [MovieBoxReader.Track]
    /// State of the complete index at the movie's end.
    private(set) var index: Index
    /// Index of the first sample in each track that belongs to the last fragments, in which a power cut may have left holes.
    private(set) var recentSamples: [Int]

    /// State of a complete index.
    enum Index: Equatable {
        /// The media data span the samples: the file is a plain movie.
        case inForce
        /// The index is complete at an offset in bytes, but was not activated yet.
        case waiting(at: Int64)
        case none
    }

    /// Number of fragments whose samples are read and checked: more than wait for the disk at once, unless it hangs.
    private static let recentFragments = 8

    /// Reads a movie file; `nil` where no sample can be found.
    ///
    /// - Throws: `FileError` "read".
    init?(reading file: OutputFile, layout: MovieLayout) throws(FileError) {
        self.layout = layout
        guard let place = layout.boxes.firstIndex(where: { $0.type == "moov" && $0.isWhole }),
            var movie = try Self.readIndex(layout.boxes[place], file, layout)
        else { return nil }
        if layout.boxes[0].type == "mdat" {
            guard !movie.isBeginning, place == 1 else { return nil }
            index = .inForce
            recentSamples = movie.tracks.map { _ in 0 }
        } else {
            guard movie.isBeginning, place == 1 else { return nil }
            var fragments = FragmentWalk(beginning: movie, limit: layout.end)
            for box in layout.boxes[(place + 1)...] {
                guard try fragments.follow(box, in: file) else { break }
            }
            let found = fragments.tracks
            recentSamples = fragments.recentSamples(Self.recentFragments)
            if let last = layout.boxes.last, last.type == "moov", last.isWhole, last != layout.boxes[place],
                let complete = try Self.readIndex(last, file, layout), !complete.isBeginning,
                Self.holds(complete.tracks, found)
            {
                index = .waiting(at: last.range.lowerBound)
                movie = complete
            } else {
                index = .none
                movie = MovieBoxReader(movie, tracks: found)
            }
        }
        createdAt = movie.createdAt
        movieTimeScale = movie.movieTimeScale
        tracks = movie.tracks
        if index != .inForce {
            try dropDamaged(file)
            dropMissingLabels()
        }
    }

    private static func readIndex(_ box: FileBox, _ file: OutputFile, _ layout: MovieLayout)
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
        // All samples that the index names must lie in the file, between the reserved bytes and its end.
        let room = layout.reservedOffset + 16..<layout.end
        guard let movie,
            movie.tracks.allSatisfy({ $0.samples.allSatisfy { $0.lies(in: room) || movie.isBeginning } })
        else { return nil }
        return movie
    }

    /// Whether an index names all samples of the fragments.
    private static func holds(_ complete: [MovieBoxReader.Track], _ found: [MovieBoxReader.Track]) -> Bool {
        found.allSatisfy { track in
            guard let other = complete.first(where: { $0.number == track.number }) else { return false }
            return other.samples.count == track.samples.count
                && zip(other.samples, track.samples).allSatisfy {
                    $0.offset == $1.offset && $0.byteCount == $1.byteCount
                }
        }
    }

    /// Ends each track before the first of its recent samples that is damaged.
    private mutating func dropDamaged(_ file: OutputFile) throws(FileError) {
        for track in tracks.indices {
            let check = SampleCheck(codec: tracks[track].description.codec)
            for sample in tracks[track].samples.indices.dropFirst(recentSamples[track]) {
                let place = tracks[track].samples[sample]
                let bytes = try file.read(Int(place.byteCount), at: place.offset)
                guard bytes.count == Int(place.byteCount), check.isWhole(bytes, at: place.offset) else {
                    tracks[track].samples.removeSubrange(sample...)
                    // An index that names this sample may not be activated.
                    index = .none
                    break
                }
            }
        }
    }

    /// Removes time code tracks whose only label is missing: the frames are shown without one.
    private mutating func dropMissingLabels() {
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
    /// Whether all bytes of the sample lie in a byte range of the file.
    func lies(in part: Range<Int64>) -> Bool {
        offset >= part.lowerBound && offset + Int64(byteCount) <= part.upperBound
    }
}

extension MovieTrack {
    /// Codec of the track; `nil` for a time code.
    var codec: StreamParameters.Codec? {
        switch self {
        case .video(let parameters, _, _), .audio(let parameters, _): parameters.codec
        case .timecode: nil
        }
    }
}
