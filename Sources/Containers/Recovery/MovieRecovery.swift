public import Media

/// A movie file as the end of a recording, or a crash, left it: tells what can be read of it, and turns it into an ordinary
/// file.
///
/// The file is not trusted: lengths, offsets and times are checked against the file's size and each other, and where they do not
/// fit, the recording ends. The time it takes does not depend on the size of the media: only heads of boxes, lists and the
/// samples of the last fragments are read.
///
/// Only one thread at a time may use it. While it exists, the file is locked.
public final class MovieRecovery {
    /// One track, up to its last whole sample.
    public struct Track: Sendable, Equatable {
        /// Description of the track.
        public let description: MovieTrack
        /// Number of samples that can be read.
        public let sampleCount: Int
        /// Number of samples that are decoded but not shown, since they are before the file's time 0.
        public let leadCount: Int
        /// End of the last shown sample, in ticks of the track since T0.
        public let end: Int64
        /// Frame rate of the track's grid as far as the durations of its frames tell it; `nil` for other tracks, without frames,
        /// and where frames keep their own times.
        public let rate: FrameRate?
        /// Number of samples that are in the file but cannot be shown, since they refer to samples that are not there.
        public let droppedCount: Int
        /// Stretches of the grid between frames for which no frame was written, in ticks of the track since T0; the frame before
        /// lasts longer.
        public let holes: [Range<Int64>]
    }

    /// Path of the file.
    public let path: String
    /// Dialect of the file.
    public let kind: MovieKind
    /// Whether the file is a plain movie already.
    public let isPlain: Bool
    /// Tracks of the file.
    public let tracks: [Track]
    /// Size of the file in bytes.
    public let byteCount: Int64
    private let file: OutputFile
    private let content: MovieContent

    /// Opens, locks and reads a file.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - disk: Hooks into the writing of the file.
    /// - Throws: `FileError` "open" or "read"; "read" with a sentence when the file was not recorded by multicam, or holds
    ///   nothing that can be shown.
    public init(path: String, disk: DiskConduct = DiskConduct()) throws(FileError) {
        self.path = path
        file = try OutputFile(opening: path, disk: disk)
        guard let layout = try MovieLayout(of: file) else {
            throw FileError(
                path: path, operation: "read", detail: "it is not a movie that this program has recorded.")
        }
        guard var content = try MovieContent(reading: file, layout: layout),
            content.tracks.contains(where: { !$0.samples.isEmpty && $0.description.codec != nil })
        else {
            throw FileError(
                path: path, operation: "read",
                detail: "nothing of it was on the disk yet: it holds no frame and no audio.")
        }
        byteCount = try file.facts().byteCount
        kind = layout.kind
        isPlain = content.index == .inForce
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

    /// Turns the file into a plain movie whose tracks end at given times. A plain movie that ends there stays as it is.
    ///
    /// A longer track is cut: its samples stay in the file. A shorter one is filled: JPEG tracks with their last frame, AAC with
    /// silence; the last H.264 frame is shown until then.
    ///
    /// It may be interrupted at any instant and repeated. What is in the file stays; a complete index is written after it and
    /// made durable before one write of 16 bytes activates it. Before that write the file is what it was.
    /// - Parameter ends: End of each track by its index, in its own ticks since T0; `nil` for its own end.
    /// - Returns: Content of the file.
    /// - Throws: `FileError` "write", "truncate" or "fdatasync". The file is then what it was, or whole.
    @discardableResult
    public func makeWhole(ends: [Int64?] = []) throws(FileError) -> MovieSummary {
        let wanted = tracks.indices.map { (ends.indices.contains($0) ? ends[$0] : nil) ?? tracks[$0].end }
        let isAsWanted = zip(tracks, wanted).allSatisfy { $0.end == $1 || $0.description.isTimecode }
        switch content.index {
        case .inForce where isAsWanted: return summary(content.recordedTracks, byteCount: byteCount)
        case .waiting(let offset) where isAsWanted:
            try file.bringIntoForce(indexAt: offset, reservedOffset: content.layout.reservedOffset)
            return summary(content.recordedTracks, byteCount: byteCount)
        case .inForce, .waiting, .none: break
        }
        let start = try beginAppending()
        var (placed, silence) = (content.tracks, [UInt8]())
        for (index, end) in zip(placed.indices, wanted) where placed[index].description.codec != nil {
            placed[index].samples.end(
                at: end, as: placed[index].description.codec, silence: &silence,
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
        // Remains of an earlier attempt after it are cut off.
        try file.setEnd(place + Int64(index.count))
        try file.bringIntoForce(indexAt: place, reservedOffset: content.layout.reservedOffset)
        return summary(recorded, byteCount: place + Int64(index.count))
    }

    /// Counts the frames of a JPEG track that repeat the frame before byte for byte: it was repeated, or stands in for a slate.
    /// The count is 0 for other codecs.
    ///
    /// Only neighbours of equal size are compared; once 256 MiB have been read for that, equal sizes count as equal frames.
    /// - Throws: `FileError` "read".
    public func repeatedCount(ofTrack index: Int) throws(FileError) -> Int {
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

    /// Notes the end of the recording in the reserved bytes, so that after an interruption the next recovery can tell appended
    /// bytes from the recording.
    ///
    /// - Returns: Offset in bytes at which to write.
    private func beginAppending() throws(FileError) -> Int64 {
        guard content.index != .inForce else { return byteCount }
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
        end = track.indexedEnd ?? track.samples.map(\.end).max() ?? 0
        let interval = track.samples.interval
        rate =
            track.description.isVideo && !track.description.hasOwnTimes && interval > 0
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
