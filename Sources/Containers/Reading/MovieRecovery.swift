package import FoundationEssentials
package import MulticamMedia
package import MulticamSystem

/// Recovers a movie file after a recording or a crash: reports the readable content, and converts the file to
/// a plain movie.
///
/// The file isn't trusted: lengths, offsets, and times are checked against the file size and against each
/// other, and all data after the first inconsistency is ignored. The time required doesn't depend on the size
/// of the media data, because only box headers, sample lists, and the samples of the last fragments are read.
///
/// Not thread-safe: use an instance from only one thread at a time. The file is locked while the instance
/// exists.
package final class MovieRecovery {
    /// One track of the movie, up to the last complete sample.
    package struct Track: Sendable, Equatable {
        /// Description of the track.
        package let description: MovieTrack
        /// Number of samples of the track that can be read.
        package let sampleCount: Int
        /// Number of samples that are decoded but not shown because their time is before T0.
        package let leadCount: Int
        /// End of the last visible sample, in track ticks relative to T0.
        package let end: Int64
        /// Frame rate of a video track, derived from the durations of its frames; `nil` for other tracks, for
        /// tracks without frames, and for variable frame rates.
        package let rate: FrameRate?
        /// Number of samples that are in the file but can't be decoded, because samples that they depend on
        /// are missing.
        package let droppedCount: Int
        /// Time ranges of the frame grid without frames, in track ticks relative to T0. Players show the
        /// previous frame during these ranges.
        package let holes: [Range<Int64>]
    }

    /// File format variant.
    package let kind: MovieKind
    /// Whether the file is already a plain movie.
    package let isPlain: Bool
    /// Tracks of the file.
    package let tracks: [Track]
    /// Size of the file in bytes.
    package let byteCount: Int64
    /// Date of T0, accurate to the second.
    package var createdAt: Date { MovieFile.date(secondsSince1904: content.createdAt) }
    private let file: OutputFile
    private let content: MovieContent

    /// Opens and locks a movie file, and reads its content.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - disk: Callbacks for file writes.
    /// - Throws: `FileError` with the operation "opening" or "reading". A "reading" error contains an
    ///   explanation if multicam didn't record the file or if the file doesn't contain frames or audio.
    package convenience init(path: String, disk: FileWriteHooks = FileWriteHooks()) throws(FileError) {
        try self.init(try ContainedFile(path: path), disk: disk)
    }

    /// Opens, locks, and reads a movie file inside a folder; see `init(path:disk:)`.
    package init(_ place: ContainedFile, disk: FileWriteHooks = FileWriteHooks()) throws(FileError) {
        file = try OutputFile(opening: place, disk: disk)
        let byteCount = try file.byteCount()
        guard let layout = try MovieLayout(of: file, byteCount: byteCount) else {
            throw FileError(
                path: place.path, operation: "reading",
                detail: "the file is not a movie recorded by multicam.")
        }
        guard var content = try MovieContent(reading: file, layout: layout), content.hasSamples else {
            throw FileError(
                path: place.path, operation: "reading",
                detail: "the file contains no frames and no audio, because no data was written to disk.")
        }
        self.byteCount = byteCount
        kind = layout.kind
        isPlain = content.index == .active
        var dropped = content.tracks.map { _ in 0 }
        if content.index == .none {
            for index in content.tracks.indices where content.tracks[index].description.isH264 {
                let samples = content.tracks[index].samples
                let kept = samples.prefixWithoutHole(interval: samples.interval)
                dropped[index] = samples.count - kept
                content.tracks[index].samples.removeSubrange(kept...)
            }
        }
        self.content = content
        tracks = zip(content.tracks, dropped).map { Track($0, droppedCount: $1) }
    }

    /// Converts the file to a plain movie whose tracks end at the times in `ends`. A plain movie whose tracks
    /// already end at these times isn't changed.
    ///
    /// A track that ends later is shortened, but its samples remain in the file. A track that ends earlier is
    /// extended: a JPEG track with copies of the last frame, an AAC track with silence. In an H.264 track,
    /// the last frame is shown until the end.
    ///
    /// If the conversion is interrupted, it can be repeated. Existing data isn't changed. A complete index is
    /// appended and made durable before a single write of 16 bytes activates it. Until the 16 bytes are
    /// written, the file keeps its previous state.
    /// - Parameter ends: End of each track, by track index, in track ticks relative to T0; `nil` to keep the
    ///   end of a track.
    /// - Returns: A summary of the file's content.
    /// - Throws: `FileError` with the operation "writing", "truncating the file", or "fdatasync". After an
    ///   error, the file is either in its previous state or complete.
    @discardableResult
    package func repair(ends: [Int64?] = []) throws(FileError) -> MovieSummary {
        let wanted = tracks.indices.map { (ends.indices.contains($0) ? ends[$0] : nil) ?? tracks[$0].end }
        let isAsWanted = zip(tracks, wanted).allSatisfy { $0.end == $1 || $0.description.isTimecode }
        switch content.index {
        case .active where isAsWanted: return summary(content.recordedTracks, byteCount: byteCount)
        case .inactive(let offset) where isAsWanted:
            try file.activateIndex(indexAt: offset, reservedOffset: content.layout.reservedOffset)
            return summary(content.recordedTracks, byteCount: byteCount)
        case .active, .inactive, .none: break
        }
        let start = try storeRecordingEnd()
        var (placed, silence) = (content.tracks, [UInt8]())
        for (index, end) in zip(placed.indices, wanted) where placed[index].description.codec != nil {
            placed[index].samples.adjustEnd(
                to: end, codec: placed[index].description.codec, silence: &silence,
                channels: placed[index].description.channels, startingAt: start)
        }
        var recorded = placed.map {
            RecordedTrack(
                $0.description, number: $0.number, configuration: $0.configuration,
                index: SampleIndex($0.samples))
        }
        recorded.setEnds(
            zip(placed, wanted).map { $0.description.isTimecode ? nil : $1 }, mayStretch: true)
        let index = MovieBox(
            kind: kind, createdAt: content.createdAt, movieTimeScale: content.movieTimeScale,
            tracks: recorded,
            reached: nil
        ).bytes
        let place = start + Int64(silence.count)
        try file.write(silence + index, at: start)
        // Removes data after the index that an interrupted conversion left behind.
        try file.setEnd(place + Int64(index.count))
        try file.activateIndex(indexAt: place, reservedOffset: content.layout.reservedOffset)
        return summary(recorded, byteCount: place + Int64(index.count))
    }

    /// Counts the frames of a JPEG track that equal the previous frame byte for byte. A frame equals the
    /// previous frame if the recorder duplicated it or if both belong to a slate. The count is 0 for other
    /// codecs.
    ///
    /// Only adjacent frames with the same size in bytes are compared. After 256 MiB have been read, further
    /// frames with the same size count as equal without being compared.
    /// - Throws: `FileError` with the operation "reading".
    package func duplicatedCount(ofTrack index: Int) throws(FileError) -> Int {
        guard content.tracks[index].description.codec == .mjpeg else { return 0 }
        var (count, unread) = (0, Self.comparedBytes)
        let samples = content.tracks[index].samples
        for (before, sample) in zip(samples, samples.dropFirst()) where before.byteCount == sample.byteCount {
            if before.offset != sample.offset, unread > 0 {
                unread -= 2 * Int(sample.byteCount)
                guard
                    try file.read(Int(before.byteCount), at: before.offset)
                        == file.read(Int(sample.byteCount), at: sample.offset)
                else { continue }
            }
            count += 1
        }
        return count
    }

    private static let comparedBytes = 256 << 20

    /// Stores the end of the recording in the reserved bytes. If the recovery is interrupted, the next
    /// recovery can distinguish appended bytes from the recording.
    ///
    /// - Returns: Byte offset for the next write.
    private func storeRecordingEnd() throws(FileError) -> Int64 {
        guard content.index != .active else { return byteCount }
        var reserved = BoxBuffer()
        reserved.put32(16)
        reserved.put(code: "free")
        reserved.put64(UInt64(content.layout.end))
        try file.write(reserved.bytes, at: content.layout.reservedOffset)
        try file.makeDurable()
        return content.layout.end
    }

    private func summary(_ tracks: [RecordedTrack], byteCount: Int64) -> MovieSummary {
        MovieSummary(
            tracks: tracks.map {
                MovieSummary.Track(
                    sampleCount: $0.index.sampleCount, byteCount: $0.index.byteCount,
                    duration: max(0, $0.index.end), timeScale: $0.description.timeScale)
            }, byteCount: byteCount, checksum: nil)
    }
}

extension MovieRecovery.Track {
    fileprivate init(_ track: MovieBoxReader.Track, droppedCount: Int) {
        description = track.description
        sampleCount = track.samples.count
        leadCount = track.samples.count { $0.presentation < 0 }
        end = track.end
        let interval = track.samples.interval
        rate =
            track.description.isVideo && !track.description.hasCaptureTimes && interval > 0
            ? FrameRate(track.description.timeScale, per: interval) : nil
        self.droppedCount = droppedCount
        holes = rate == nil ? [] : track.samples.holes(interval: interval)
    }
}

extension MovieContent {
    fileprivate var recordedTracks: [RecordedTrack] {
        tracks.map {
            RecordedTrack(
                $0.description, number: $0.number, configuration: $0.configuration,
                index: SampleIndex($0.samples))
        }
    }
}

extension MovieTrack {
    /// Number of audio channels; 0 for other tracks.
    fileprivate var channels: Int {
        if case .audio(let parameters, _) = self { parameters.audio?.channels ?? 1 } else { 0 }
    }
}

/// Checks whether a media file contains recoverable content. The check doesn't modify or lock the file.
package enum RecoverableContent {
    /// File size in bytes above which a file is assumed to have content without reading it.
    private static let largestRead: Int64 = 64 << 20

    /// Whether a movie or Broadcast Wave file contains at least one frame or sample.
    ///
    /// - Parameter place: The media file. A Broadcast Wave file has the extension `.wav`; all other files are
    ///   read as movies.
    /// - Returns: Whether the file contains a frame or a sample.
    /// - Throws: `FileError` with the operation "opening" or "reading".
    package static func isPresent(in place: ContainedFile) throws(FileError) -> Bool {
        let file = try ReadFile(place)
        guard file.byteCount <= largestRead else { return true }
        guard !place.name.hasSuffix(".wav") else {
            let layout = WaveLayout(try file.read(WaveLayout.headerLimit, at: 0))
            return layout.map { $0.sampleCount(in: file.byteCount) > 0 } ?? false
        }
        guard let layout = try MovieLayout(of: file, byteCount: file.byteCount) else { return false }
        return try MovieContent(reading: file, layout: layout)?.hasSamples ?? false
    }
}
