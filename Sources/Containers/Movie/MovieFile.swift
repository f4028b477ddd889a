package import FoundationEssentials
package import MulticamMedia
package import MulticamSystem

/// Writes an MP4 or QuickTime recording that is playable at any time.
///
/// During a recording, the file consists of fragments of about 0.5 s. If the process is killed, at most the
/// last fragment and the packets that aren't in a fragment yet are lost. `finish` appends an ordinary index.
/// Then a single write of 16 bytes within one disk sector converts the file to a plain movie by turning
/// everything between these bytes and the index into media data. Media data is never copied.
///
/// Time 0 of every track is T0. Edit lists hide samples before T0 and compensate for the delay of B-frames.
///
/// Not thread-safe: use an instance from only one thread at a time. Releasing the instance without a call to
/// `finish` is equivalent to calling `abandon`.
package final class MovieFile {
    /// Path of the file.
    package var path: String { file.path }
    /// File format variant.
    package let kind: MovieKind
    /// Metadata to write to the finished file; `nil` for none. Set this property before you call `finish`.
    package var metadata: MovieMetadata?
    private var createdAt: Int64
    private let movieTimeScale: Int64
    private let file: OutputFile
    private let durability: DurabilityThread
    /// Direct access to the file for large fragments, which bypasses the page cache. The file is opened when
    /// the first large fragment is written. The value is `nil` if the file system doesn't support direct
    /// writes.
    private lazy var direct = file.makeDirectFile()
    private var tracks: [RecordedTrack]
    private let leadingTrack: Int
    /// Byte offset of the 16 bytes that become the header of the media data.
    private let reservedOffset: Int64
    /// End of the valid part of the file, as a byte offset.
    private var end: Int64
    /// State of the tracks when the first index and samples were written, and the byte offset of this index,
    /// which precedes the fragments.
    private var beginning: (tracks: [RecordedTrack], offset: Int64)?
    private var fragmentCount: UInt32 = 0
    private var failure: FileError?
    private var isOpen = true
    /// Running checksum of the bytes starting at `checksumStart`; `nil` if the checksum can't be computed.
    private var checksum = RunningChecksum()
    /// Byte offset from which on no data is rewritten during the recording.
    private var checksumStart: Int64

    /// Seconds from 1904-01-01, the epoch of QuickTime dates, to 1970-01-01.
    private static let secondsFrom1904: Int64 = 2_082_844_800
    /// Size of a memory page in bytes, which is the smallest unit of writes through the page cache.
    private static let pageSize = 4096
    /// Smallest unit that a disk writes atomically, in bytes.
    private static let sectorSize = 512
    /// Minimum size of a fragment's samples, in bytes, for a direct write, which bypasses the page cache and
    /// avoids a copy in the kernel. For smaller fragments, waiting for the disk and padding to full blocks
    /// cost at least as much as the copy.
    private static let directByteCount = 256 << 10
    /// Maximum number of packet bytes that are held in memory before a fragment is written.
    private static let pendingByteLimit = 64 << 20

    /// Creates a movie file. The file must not exist yet.
    ///
    /// - Parameters:
    ///   - path: Final path of the file, in an existing folder.
    ///   - kind: File format variant.
    ///   - tracks: Descriptions of at least one track. Packets refer to tracks by index.
    ///   - createdAt: Date and time of T0.
    ///   - disk: Callbacks for file writes.
    /// - Throws: `FileError` with the operation "creating the file" or "writing".
    package convenience init(
        path: String, kind: MovieKind, tracks: [MovieTrack], createdAt: Date,
        disk: FileWriteHooks = FileWriteHooks()
    ) throws(FileError) {
        try self.init(
            try ContainedFile(path: path, operation: "creating the file"), kind: kind, tracks: tracks,
            createdAt: createdAt, disk: disk)
    }

    /// Creates a movie file inside a folder; see `init(path:kind:tracks:createdAt:disk:)`.
    package init(
        _ place: ContainedFile, kind: MovieKind, tracks: [MovieTrack], createdAt: Date,
        disk: FileWriteHooks = FileWriteHooks()
    ) throws(FileError) {
        precondition(!tracks.isEmpty, "a movie requires at least one track")
        precondition(
            kind == .mov || !tracks.contains(where: \.isTimecode),
            "a timecode track requires a QuickTime movie")
        self.kind = kind
        self.createdAt = Self.seconds(createdAt)
        self.tracks = tracks.enumerated().map { RecordedTrack($1, number: UInt32($0 + 1)) }
        leadingTrack = tracks.firstIndex(where: \.isVideo) ?? tracks.firstIndex { !$0.isTimecode } ?? 0
        // The time scale of an audio track makes audio durations exact to the sample. Frame durations are
        // rounded by at most 10 µs.
        movieTimeScale = (tracks.first { $0.handler == "soun" } ?? tracks[leadingTrack]).timeScale

        file = try OutputFile(creating: place, disk: disk)
        var start = BoxBuffer()
        let isAudio = kind == .mp4 && !tracks.contains(where: \.isVideo)
        start.put(isAudio ? MovieKind.audioFileType : kind.fileType)
        reservedOffset = Int64(start.count)
        start.box("free") { $0.putZeros(8) }
        try file.write(start.bytes, at: 0)
        end = Int64(start.count)
        checksumStart = end
        durability = DurabilityThread(for: file)
    }

    /// Creates a movie file for tests of a full disk. Writes fail when the file reaches `diskCapacity` bytes.
    package convenience init(
        path: String, kind: MovieKind, tracks: [MovieTrack], createdAt: Date, diskCapacity: Int64
    ) throws(FileError) {
        try self.init(
            path: path, kind: kind, tracks: tracks, createdAt: createdAt,
            disk: FileWriteHooks(capacity: diskCapacity))
    }

    /// Replaces the date of T0 in a file that was created before T0 was known. Call this function only before
    /// the first packet is appended.
    ///
    /// - Parameters:
    ///   - createdAt: Date and time of T0.
    ///   - timecode: Time of day at T0 for the timecode tracks; `nil` to leave the timecode tracks unchanged.
    package func setStartMetadata(createdAt: Date, timecode: Timecode?) {
        precondition(
            beginning == nil && tracks.allSatisfy { $0.description.isTimecode || $0.pending.isEmpty },
            "the metadata must be set before the first packet")
        self.createdAt = Self.seconds(createdAt)
        guard let timecode else { return }
        for index in tracks.indices {
            guard case .timecode(_, let name) = tracks[index].description else { continue }
            tracks[index] = RecordedTrack(.timecode(timecode, name: name), number: tracks[index].number)
        }
    }

    /// The movie file and the folder that contains it.
    package var containedFile: ContainedFile { file.file }

    private static func seconds(_ date: Date) -> Int64 {
        secondsFrom1904 + Int64(rounding: date.timeIntervalSince1970, .down)
    }

    /// Converts seconds since 1904-01-01 00:00 UTC, as stored in a movie's header, to a date.
    static func date(secondsSince1904 seconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(seconds) - Double(secondsFrom1904))
    }

    /// Appends the next packet of a track and writes a fragment about every 0.5 s. The packets of a track
    /// must be appended in decoding order.
    ///
    /// - Parameters:
    ///   - packet: The packet, with times in track ticks relative to T0. The packet's memory is retained
    ///     until the packet is written.
    ///   - track: Index of the track in the list that the file was created with.
    /// - Throws: `FileError` with the operation "writing", "fdatasync", or "fsync" if this or an earlier
    ///   packet can't be written. The operation is also "writing" if 64 MiB have been appended and an H.264
    ///   track still lacks parameter sets, or if a packet isn't later than the previous packet. After a
    ///   failure, all later calls throw as well. The file is valid up to the failure, and can still be
    ///   finished.
    package func append(_ packet: EncodedPacket, to track: Int) throws(FileError) {
        precondition(isOpen, "packets must be appended before the file is finished")
        precondition(!tracks[track].description.isTimecode, "packets can't be appended to a timecode track")
        try checkFailure()
        if let fault = tracks[track].append(packet) {
            throw FileError(path: path, operation: "writing", detail: fault)
        }
        if isFragmentDue { return try flushFragment() }
        // Too many bytes are pending only if an H.264 stream lacks parameter sets. Players can't decode such
        // a stream.
        guard isFull else { return }
        for index in tracks.indices { tracks[index].dropPending() }
        let error = FileError(
            path: path, operation: "writing",
            detail: "the camera sent \(Self.pendingByteLimit >> 20) MB of H.264 without parameter sets.")
        failure = error
        throw error
    }

    /// Writes the pending packets as a fragment. The fragment survives a process crash immediately, and a
    /// power loss after the next flush.
    ///
    /// This function doesn't write anything while an H.264 track is still waiting for its first parameter
    /// sets.
    ///
    /// - Throws: `FileError` with the operation "writing", "fdatasync", or "fsync".
    package func flushFragment() throws(FileError) {
        precondition(isOpen, "fragments must be written before the file is finished")
        try checkFailure()
        guard beginning != nil || tracks.allSatisfy(\.isDescribed) else { return }
        try writePending()
    }

    /// Writes the last fragment. After this call, only `finish` may be called.
    ///
    /// - Parameter ends: End of each track, as in `finish(ends:)`.
    /// - Throws: `FileError` with the operation "writing". After an error, `finish` can still convert the
    ///   data written earlier to a plain movie.
    package func writeRest(ends: [Int64?]) throws(FileError) {
        precondition(isOpen, "fragments must be written before the file is finished")
        for (index, end) in zip(tracks.indices, ends) {
            if let end { tracks[index].setPendingEnd(end) }
        }
        guard failure == nil else { return }
        do throws(FileError) { try writePending() } catch {
            failure = error
            throw error
        }
    }

    /// Writes the last fragment and the index, and converts the file to a plain movie. The time required
    /// depends on the size of the index.
    ///
    /// If an earlier `append` failed, this function finishes the file with the data written before the
    /// failure and doesn't throw the failure again.
    /// - Parameter ends: End of each track, by track index, in track ticks relative to T0; `nil` for the end
    ///   of the track's last packet. An explicit end removes the padding of an audio encoder with sample
    ///   accuracy.
    /// - Returns: A summary of the file's content.
    /// - Throws: `FileError` with the operation "writing", "fdatasync", or "fsync". After such an error, the
    ///   file is either still fragmented, or finished without the last fragment. The operation is "reading"
    ///   if the finished file can't be read to compute its checksum.
    @discardableResult
    package func finish(ends: [Int64?] = []) throws(FileError) -> MovieSummary {
        precondition(isOpen, "the file is already finished")
        defer { abandon() }
        let known = failure
        // If writing the last fragment fails, the error is thrown after the remaining steps are complete.
        do throws(FileError) { try writeRest(ends: ends) } catch { failure = error }
        // If the last fragment couldn't be written, no track is extended beyond its written samples.
        tracks.setEnds(ends, mayStretch: failure == nil)
        durability.finish()
        let (chapterBytes, indexBytes) = finalIndexBytes
        let last = [chapterBytes, indexBytes].filter { !$0.isEmpty }.map { SharedBytes($0) }
        try appendOrTruncate(last)
        checksum?.add(last)
        end += Int64(chapterBytes.count)
        try file.activateIndex(indexAt: end, reservedOffset: reservedOffset)
        if known == nil, let failure = failure ?? durability.failure { throw failure }
        return MovieSummary(
            tracks: tracks.map {
                MovieSummary.Track(
                    sampleCount: $0.index.sampleCount, byteCount: $0.index.byteCount,
                    duration: max(0, $0.index.end), timeScale: $0.description.timeScale)
            },
            byteCount: end + Int64(indexBytes.count), checksum: try wholeChecksum())
    }

    /// Returns the checksum of the finished file. The bytes at the start, which were rewritten during the
    /// recording, are hashed last.
    private func wholeChecksum() throws(FileError) -> FileChecksum? {
        guard let checksum else { return nil }
        checksum.add([SharedBytes(try file.read(Int(checksumStart), at: 0))])
        return FileChecksum(value: checksum.value, start: checksumStart)
    }

    /// Opens the same file for reading, even if the file was renamed while it was being written.
    ///
    /// - Throws: `FileError` with the operation "opening".
    package func reader() throws(FileError) -> ReadFile { try file.reader() }

    /// Upper bound on the number of bytes that a call to `finish` would write now, including pending packets
    /// and the index.
    package var finishingByteCount: Int64 {
        tracks.reduce(metadata?.byteCount ?? 0) { $0 + Int64($1.pendingByteCount) + $1.finishingByteCount }
    }

    /// Number of a track's samples that are already in the file and available to readers.
    package func writtenSampleCount(ofTrack index: Int) -> Int { tracks[index].index.sampleCount }

    /// Time up to which the file already contains the data of all tracks, relative to the start of the file.
    /// Data before this time survives a process crash.
    package var writtenEnd: MediaTime {
        tracks.filter { !$0.description.isTimecode }.map {
            FrameRate($0.description.timeScale).time(ofTick: max(0, $0.index.end))
        }.min() ?? .zero
    }

    /// Closes the file without finishing it. The file is playable up to its last fragment.
    package func abandon() {
        isOpen = false
        durability.end()
        file.unlock()
        direct = nil
        for index in tracks.indices { tracks[index].dropPending() }
    }

    /// Leaves a gap in the file without using disk space. Tests use this function to reach offsets beyond 4
    /// GiB.
    package func appendHole(byteCount: Int64) throws(FileError) {
        checksum = nil
        var head = BoxBuffer()
        head.put32(1)
        head.put(code: "free")
        head.put64(UInt64(byteCount))
        try file.write(head.bytes, at: end)
        end += byteCount
        try file.setEnd(end)
    }

    // MARK: Fragments

    private func checkFailure() throws(FileError) {
        if let known = failure ?? durability.failure {
            failure = known
            throw known
        }
    }

    /// Whether enough data is pending to write a fragment. A fragment is written when the pending packets of
    /// the leading track reach `dueDuration`, when any track reaches 0.8 s because the leading track is late,
    /// or when all pending packets exceed a size limit.
    private var isFragmentDue: Bool {
        guard beginning != nil || tracks.allSatisfy(\.isDescribed) else { return false }
        let leading = tracks[leadingTrack]
        // The first write should include samples of all tracks, because the position of T0 is unknown for a
        // track without samples.
        let isComplete = beginning != nil || tracks.allSatisfy { !$0.pending.isEmpty }
        let waiting = Nanoseconds.duration(
            of: leading.pendingDuration, perSecond: leading.description.timeScale)
        if isComplete, waiting >= dueDuration { return true }
        return tracks.contains { $0.pendingDuration * 5 >= $0.description.timeScale * 4 } || isFull
    }

    /// Time until the next fragment is written, based on the packets of the leading track. The value is `nil`
    /// before the first packet of this track, and if packets of other tracks arrive much faster or wait for
    /// the leading track.
    package var writeSchedule: WriteSchedule? {
        let leading = tracks[leadingTrack]
        let scale = leading.description.timeScale
        guard leading.lastDuration > 0 else { return nil }
        let rhythm = WriteSchedule(
            remainingDuration: dueDuration - .duration(of: leading.pendingDuration, perSecond: scale),
            packetDuration: .duration(of: leading.lastDuration, perSecond: scale),
            hasSingleStream: tracks.count(where: { !$0.description.isTimecode }) == 1)
        let isSteady = rhythm.remainingDuration > .zero && rhythm.packetDuration < .milliseconds(100)
        return rhythm.hasSingleStream || isSteady ? rhythm : nil
    }

    private var isFull: Bool { tracks.reduce(0) { $0 + $1.pendingByteCount } >= Self.pendingByteLimit }

    /// Duration of the leading track's pending packets at which a fragment is written. The usual duration is
    /// 0.5 s. Together with data that is still being aligned and encoded, a crash then loses less than one
    /// second. The duration is shorter if the leading track's encoder has a longer delay than the other
    /// encoders.
    private var dueDuration: Nanoseconds {
        let usual = Nanoseconds.milliseconds(500)
        guard let leading = tracks[leadingTrack].lastDecodeTime,
            let furthest = tracks.compactMap(\.lastDecodeTime).max()
        else { return usual }
        return min(usual, max(.milliseconds(100), .milliseconds(600) - (furthest - leading)))
    }

    private func writePending() throws(FileError) {
        do throws(FileError) {
            try writeFragment()
        } catch {
            failure = error
            for index in tracks.indices { tracks[index].dropPending() }
            throw error
        }
        durability.requestFlush()
    }

    private func writeFragment() throws(FileError) {
        if let beginning {
            try writeLaterFragment()
            // The durations in the first index are updated for readers that rely on them. The index keeps its
            // size and layout, so an interrupted write is harmless.
            try file.write(
                indexBytes(of: beginning.tracks, reached: currentEnds(of: tracks)), at: beginning.offset)
        } else {
            try writeBeginning()
        }
    }

    /// Writes the first index of the movie, followed by the first samples, which the index describes.
    ///
    /// The first samples are described by the index instead of a fragment, so that readers can hide samples
    /// before T0: libavformat applies edit lists only to samples in an index, not in fragments.
    private func writeBeginning() throws(FileError) {
        for index in tracks.indices { tracks[index].fixFragmentShift() }
        let samples = tracks.indices.filter { tracks[$0].isDescribed }.flatMap {
            tracks[$0].pending.map(\.bytes)
        }
        let sampleByteCount = samples.reduce(0) { $0 + $1.count }
        // The index contains the positions of the samples that follow it. The index is therefore built twice;
        // the first time determines its size.
        let indexSize = indexBytes(of: committedTracks(at: 0), reached: currentEnds(of: tracks)).count
        let begun = committedTracks(at: end + Int64(indexSize) + 8)
        let index = indexBytes(of: begun, reached: currentEnds(of: begun))
        var head = BoxBuffer()
        head.put32(UInt32(8 + sampleByteCount))
        head.put(code: "mdat")
        let media = [SharedBytes(head.bytes)] + samples
        try appendOrTruncate([SharedBytes(index)] + media)
        checksum?.add(media)
        checksumStart = end + Int64(index.count)
        beginning = (begun, end)
        end += Int64(index.count + head.count + sampleByteCount)
        tracks = begun
    }

    /// Returns a copy of the tracks in which the pending samples have been added to the sample indexes. The
    /// first sample has the file offset `offset`.
    private func committedTracks(at offset: Int64) -> [RecordedTrack] {
        var tracks = tracks
        var offset = offset
        for index in tracks.indices where tracks[index].isDescribed {
            let byteCount = tracks[index].pendingByteCount
            tracks[index].commitPending(at: offset)
            offset += Int64(byteCount)
        }
        return tracks
    }

    private func writeLaterFragment() throws(FileError) {
        for index in tracks.indices where tracks[index].index.sampleCount == 0 {
            tracks[index].raiseFragmentShift()
        }
        let filled = tracks.indices.filter { tracks[$0].isDescribed && !tracks[$0].pending.isEmpty }
        guard !filled.isEmpty else { return }
        let head = FragmentBox(sequence: fragmentCount + 1, tracks: filled.map { tracks[$0] }).bytes
        let samples = filled.flatMap { tracks[$0].pending.map(\.bytes) }
        var place: Int64
        let byteCount = samples.reduce(0) { $0 + $1.count }
        if byteCount >= Self.directByteCount, let direct {
            // A `free` box, which is written through the page cache, fills the file up to the next block. The
            // fragment can then start at a block boundary.
            let filling = Self.freeBox(from: end, toNext: direct.blockSize)
            if !filling.isEmpty { try append([SharedBytes(filling)]) }
            let rest = Self.freeBox(from: end + Int64(head.count + byteCount), toNext: direct.blockSize)
            try append([SharedBytes(head)] + samples + [SharedBytes(rest)], by: direct)
            place = end - Int64(rest.count + byteCount)
        } else {
            try append([SharedBytes(padding(before: head.count - 8) + head)] + samples)
            place = end - Int64(byteCount)
        }
        fragmentCount += 1
        for index in filled {
            let byteCount = tracks[index].pendingByteCount
            tracks[index].commitPending(at: place)
            place += Int64(byteCount)
        }
    }

    /// Returns a `free` box that ensures that the next `count` bytes don't cross a memory page boundary or,
    /// if they fit into one disk sector, a sector boundary. The result is empty if no box is needed.
    ///
    /// A write ends at a page boundary if the process is killed, and at a sector boundary after a power loss.
    /// An incomplete sample list must be avoided, because libavformat then rejects the entire file.
    private func padding(before count: Int) -> [UInt8] {
        let unit = count <= Self.sectorSize ? Self.sectorSize : Self.pageSize
        let used = Int(end % Int64(unit))
        guard used + count > unit, count <= unit else { return [] }
        return Self.freeBox(from: end, toNext: unit)
    }

    /// Returns a `free` box that extends from a file offset to the next multiple of `unit` bytes, or to the
    /// following multiple if the box header doesn't fit. The result is empty if the offset is already a
    /// multiple.
    private static func freeBox(from place: Int64, toNext unit: Int) -> [UInt8] {
        let rest = (unit - Int(place % Int64(unit))) % unit
        guard rest > 0 else { return [] }
        var buffer = BoxBuffer()
        buffer.box("free") { $0.putZeros((rest < 8 ? rest + unit : rest) - 8) }
        return buffer.bytes
    }

    /// Writes data after the valid part of the file and extends the valid part by this data.
    private func append(_ pieces: [SharedBytes], by direct: DirectFile? = nil) throws(FileError) {
        try appendOrTruncate(pieces, by: direct)
        checksum?.add(pieces)
        end += pieces.reduce(0) { $0 + Int64($1.count) }
    }

    /// Writes data after the valid part of the file. If the write fails, the incompletely written data is
    /// removed, which also frees space on a full disk.
    private func appendOrTruncate(_ pieces: [SharedBytes], by direct: DirectFile? = nil) throws(FileError) {
        do throws(FileError) {
            try file.write(pieces, at: end, by: direct)
        } catch {
            do throws(FileError) { try file.setEnd(end) } catch {
                // A failed truncation is ignored: the remaining bytes are an incomplete box, which players
                // skip, and the write error is more informative.
            }
            throw error
        }
    }

    // MARK: Finalization

    private func indexBytes(of tracks: [RecordedTrack], reached: [Int64]?) -> [UInt8] {
        MovieBox(
            kind: kind, createdAt: createdAt, movieTimeScale: movieTimeScale, tracks: tracks, reached: reached
        ).bytes
    }

    /// The index of the entire movie, and a box with the chapter texts that precedes the index and becomes
    /// part of the media data. The box is empty if the movie doesn't have chapters.
    private var finalIndexBytes: (chapters: [UInt8], index: [UInt8]) {
        var index = MovieBox(
            kind: kind, createdAt: createdAt, movieTimeScale: movieTimeScale, tracks: tracks, reached: nil)
        guard let metadata else { return ([], index.bytes) }
        let samples = index.add(metadata, chaptersAt: end + 8)
        guard !samples.isEmpty else { return ([], index.bytes) }
        var texts = BoxBuffer()
        // Readers skip this `free` box until the file is finished.
        texts.box("free") { $0.put(samples) }
        return (texts.bytes, index.bytes)
    }

    /// Returns the end of the data that the file contains for each track, in movie ticks relative to T0.
    private func currentEnds(of tracks: [RecordedTrack]) -> [Int64] {
        tracks.map { max(0, $0.index.end).rescaled(from: $0.description.timeScale, to: movieTimeScale) }
    }
}
