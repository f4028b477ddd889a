public import Media

/// A movie file of ours as the end of a recording, or a crash, left it: what can be read of it, and how it becomes an ordinary
/// file.
///
/// Everything in the file is doubted: lengths, places and dates are held against the file's size and each other, and where they
/// do not fit, the recording ends. The time it takes does not depend on the size of the media: only boxes' heads, lists and the
/// samples of the last fragments are read.
///
/// One thread at a time. While it is there, the file is locked.
public final class MovieRecovery {
    /// One track, up to its last whole sample.
    public struct Track: Sendable, Equatable {
        public let description: MovieTrack
        public let sampleCount: Int
        /// Of those, the ones that are decoded but not shown, since they are before the file's time 0.
        public let leadCount: Int
        /// When the last of what is shown ends, in ticks since T0.
        public let end: Int64
        /// The grid that its frames are on, as far as their durations tell; `nil` for other tracks, without frames, and where
        /// frames keep their own times.
        public let rate: FrameRate?
        /// Of samples that were written, but that nothing can be shown of: they refer to others that are not there.
        public let droppedCount: Int
        /// Where frames of the grid were never written, between others that were: the one before lasts longer. In ticks since T0.
        public let holes: [Range<Int64>]
    }

    public let path: String
    public let kind: MovieKind
    /// Whether it is a plain movie as it is.
    public let isPlain: Bool
    public let tracks: [Track]
    /// Of the file.
    public let byteCount: Int64
    private let file: OutputFile
    private let content: MovieContent

    /// Reads what there is.
    ///
    /// - Parameters:
    ///   - path: The file's.
    ///   - disk: What its disk does besides.
    /// - Throws: "open", "read"; "read" with a sentence when it is no file of ours, or holds nothing that can be shown.
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

    /// Makes it a plain movie whose tracks end where they are told. When it is one already, it stays as it is.
    ///
    /// A track that reaches further is cut: its samples stay in the file. One that does not reach so far is filled: JPEG frames
    /// by the last one again, AAC by silence; the last H.264 frame is shown until then.
    ///
    /// It may be interrupted at any instant, and begun again. What is in the file stays; a complete index is written behind it
    /// and made durable before one write of 16 bytes brings it into force. Before that write the file is what it was.
    /// - Parameter ends: In the ticks of each track since T0, by its place; `nil` for where it ends by itself.
    /// - Returns: What is in the file.
    /// - Throws: "write", "fdatasync". The file is what it was, or whole.
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
        // What an earlier attempt has left behind it.
        try file.setEnd(place + Int64(index.count))
        try file.bringIntoForce(indexAt: place, reservedOffset: content.layout.reservedOffset)
        return summary(recorded, byteCount: place + Int64(index.count))
    }

    /// How many frames of a JPEG track are the one before again, byte for byte: it was repeated, or stands for a slate.
    ///
    /// Only neighbours of one size are compared; once many bytes have been read for that, equal sizes must do.
    /// - Throws: "read".
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

    /// Notes in the reserved bytes where the recording ends, so that whoever is interrupted knows his own bytes from it.
    ///
    /// - Returns: Where to write.
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
    /// Of audio.
    fileprivate var channels: Int {
        if case .audio(let parameters, _) = self { parameters.audio?.channels ?? 1 } else { 0 }
    }
}
