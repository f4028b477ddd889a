package import MulticamMedia

/// The parts of a split movie as one movie, without re-encoding. The joined movie is a value that lists where its bytes
/// come from, so it can be sent without a temporary file, and any range of it can be read.
///
/// The recorder splits a movie at key frames. The audio packets around a split are in both files, so that each file plays
/// its own samples; the joined movie contains each packet once, and its timestamps have no gap.
package struct JoinedMovie: Sendable {
    /// Operation name of the error if complete parts can't be joined.
    package static let operation = "joining"

    /// A range of the joined movie's bytes.
    package enum Piece: Sendable, Equatable {
        /// Bytes that aren't in any part: the header and the index.
        case bytes([UInt8])
        /// A byte range of the part with this index.
        case part(Int, Range<Int64>)

        package var byteCount: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .part(_, let range): Int64(range.count)
            }
        }
    }

    /// The movie's bytes, in order.
    package let pieces: [Piece]

    /// Default maximum number of samples: about nine hours of video and audio.
    package static let defaultMaxSampleCount = 2_500_000

    /// Number of frames, audio packets, or timecode labels of each track.
    package let sampleCounts: [Int]

    /// Joins finished movie files. Reads only the indexes of the parts.
    ///
    /// - Parameters:
    ///   - parts: At least one part in order, each with the position of its time 0 relative to T0.
    ///   - metadata: Title, date, and chapters of the joined movie, relative to T0.
    ///   - maxSampleCount: Maximum number of frames, audio packets, and timecode labels, which limits the memory for their
    ///     list.
    /// - Throws: `FileError` with the operation "reading" if a part isn't a movie recorded by multicam, or with the operation
    ///   "joining" if a part was encoded with different parameters than the first part.
    package init(
        _ parts: [(file: ReadFile, start: MediaTime)], metadata: MovieMetadata = MovieMetadata(),
        atMost maxSampleCount: Int = defaultMaxSampleCount
    ) throws(FileError) {
        precondition(!parts.isEmpty, "a movie has at least one part")
        var content = try Self.content(of: parts[0].file)
        let (kind, createdAt, timeScale) = (content.layout.kind, content.createdAt, content.movieTimeScale)
        var tracks = content.tracks.map { Track($0) }
        var media: [Piece] = []
        var mediaByteCount: Int64 = 0
        for (index, (file, start)) in parts.enumerated() {
            if index > 0 { content = try Self.content(of: file) }
            guard content.tracks.count == tracks.count,
                zip(tracks, content.tracks).allSatisfy({ $0.canContinue(in: $1) })
            else {
                throw FileError(
                    path: file.path, operation: Self.operation,
                    detail:
                        "this part was encoded with different parameters than the first part. Download the parts separately."
                )
            }
            let counts = tracks.map(\.samples.count)
            guard content.tracks.reduce(counts.reduce(0, +), { $0 + $1.samples.count }) <= maxSampleCount
            else {
                throw FileError(
                    path: file.path, operation: Self.operation,
                    detail: "the program is too long to be joined. Download the parts separately.")
            }
            var (from, to) = (Int64.max, Int64.min)
            for track in tracks.indices {
                tracks[track].append(content.tracks[track].samples, from: start)
                for sample in tracks[track].samples[counts[track]...] {
                    (from, to) = (min(from, sample.range.lowerBound), max(to, sample.range.upperBound))
                }
            }
            guard from < to else { continue }
            // The range also contains the headers of the part's fragments, which readers skip in any multicam movie.
            for track in tracks.indices {
                tracks[track].place(
                    after: counts[track], at: mediaByteCount - from, end: content.tracks[track].end,
                    from: start)
            }
            // The next part is read while these samples aren't needed anymore.
            content.tracks = []
            media.append(.part(index, from..<to))
            mediaByteCount += to - from
        }
        var recorded = tracks.map { track in
            RecordedTrack(
                track.description, number: track.number, configuration: track.configuration,
                index: SampleIndex(track.samples))
        }
        recorded.setEnds(tracks.map { $0.description.isTimecode ? nil : $0.end }, mayStretch: true)
        tracks = []
        func header(chaptersAt offset: Int64) -> (index: [UInt8], chapters: [UInt8]) {
            var index = MovieBox(
                kind: kind, createdAt: createdAt, movieTimeScale: timeScale,
                tracks: recorded, reached: nil)
            let chapters = metadata.isEmpty ? [] : index.add(metadata, chaptersAt: offset)
            return (index.bytes, chapters)
        }
        // The size of the index doesn't depend on the positions in it.
        let (unplaced, chapters) = header(chaptersAt: 0)
        let chapterOffset =
            Int64(kind.fileType.count + unplaced.count + Self.mediaHeaderByteCount)
        for track in recorded.indices {
            recorded[track].moveSamples(by: chapterOffset + Int64(chapters.count))
        }
        var start = BoxBuffer()
        start.put(kind.fileType)
        start.put(header(chaptersAt: chapterOffset).index)
        start.put32(1)  // the size follows as a 64-bit number
        start.put(code: "mdat")
        start.put64(UInt64(Int64(Self.mediaHeaderByteCount + chapters.count) + mediaByteCount))
        start.put(chapters)
        pieces = [.bytes(start.bytes)] + media
        sampleCounts = recorded.map(\.index.sampleCount)
    }

    private static let mediaHeaderByteCount = 16

    private static func content(of file: ReadFile) throws(FileError) -> MovieContent {
        guard let layout = try MovieLayout(of: file, byteCount: file.byteCount),
            let content = try MovieContent(reading: file, layout: layout), content.hasSamples
        else {
            throw FileError(
                path: file.path, operation: "reading", detail: "the file is not a movie recorded by multicam."
            )
        }
        return content
    }

    /// A track of the joined movie.
    private struct Track {
        let number: UInt32
        let description: MovieTrack
        let configuration: DecoderConfiguration
        /// Samples with times relative to T0, and positions relative to the start of the joined media data.
        private(set) var samples: [PlacedSample] = []
        /// End of the track, in ticks relative to T0.
        private(set) var end: Int64 = 0

        /// Creates an empty track with the parameters of the track in the first part.
        init(_ first: MovieBoxReader.Track) {
            (number, description, configuration) = (first.number, first.description, first.configuration)
        }

        func canContinue(in part: MovieBoxReader.Track) -> Bool {
            if case .timecode = description { return part.description.isTimecode }
            return part.description == description && part.configuration == configuration
        }

        /// Appends the samples of the next part that the track doesn't contain yet, still with positions in the part.
        mutating func append(_ part: [PlacedSample], from start: MediaTime) {
            // The label of a timecode track applies to the whole movie.
            if description.isTimecode, !samples.isEmpty { return }
            let shift = start.ticks(perSecond: description.timeScale)
            let last = samples.last?.decode
            for sample in part {
                let moved = sample.moved(by: shift)
                if let last, moved.decode <= last { continue }
                samples.append(moved)
            }
        }

        /// Moves the positions of the samples after the first `count`, and extends the track to the end of their part.
        mutating func place(after count: Int, at byteCount: Int64, end: Int64, from start: MediaTime) {
            for index in samples.indices.dropFirst(count) {
                samples[index] = samples[index].placed(at: byteCount)
            }
            self.end = max(self.end, end + start.ticks(perSecond: description.timeScale))
        }
    }
}

extension PlacedSample {
    /// Returns a copy of the sample whose position is `byteCount` bytes later.
    fileprivate func placed(at byteCount: Int64) -> Self {
        Self(
            offset: offset + byteCount, byteCount: self.byteCount, decode: decode,
            compositionOffset: compositionOffset, duration: duration, isKey: isKey)
    }
}
