public import FoundationEssentials
public import Media

/// Writes an MP4 or QuickTime recording that is a playable file at every instant.
///
/// While recording, the file consists of fragments of about 0.5 s, so a killed process loses at most the last and what
/// waits for the next. `finish` appends an ordinary index and, by one write of 16 bytes inside one disk sector, turns
/// everything between into the media data of a plain movie. Media are never copied; the file is fragmented before that
/// write and plain after it.
///
/// Time 0 of every track is T0: edit lists hide what is to be shown before it, and delays by B-frames.
///
/// Only one thread at a time may use it. Releasing it without `finish` is like `abandon`.
public final class MovieFile {
    /// Path of the file.
    public let path: String
    /// Dialect of the file.
    public let kind: MovieKind
    /// What the finished file says of itself besides its tracks; `nil` for nothing. Set it before `finish`.
    public var notes: MovieNotes?
    private var createdAt: Int64
    private let movieTimeScale: Int64
    private let file: OutputFile
    private let durability: DurabilityThread
    /// Writes large fragments past the page cache; `nil` until there is one, and where the file system cannot.
    private lazy var direct = file.makeDirect()
    private var tracks: [RecordedTrack]
    private let leadingTrack: Int
    /// Offset in bytes of the 16 bytes that become the head of the media data.
    private let reservedOffset: Int64
    /// Offset in bytes up to which the file is whole.
    private var end: Int64
    /// The tracks as they were when the first samples were written with an index, and the index's offset before the fragments.
    private var beginning: (tracks: [RecordedTrack], offset: Int64)?
    private var fragmentCount: UInt32 = 0
    private var failure: FileError?
    private var isOpen = true
    /// Checksum of the bytes from `checksumStart` on; `nil` where it cannot be computed.
    private var checksum = RunningChecksum()
    /// Offset in bytes from which nothing is rewritten while recording.
    private var checksumStart: Int64

    /// Seconds from 1904, the beginning of QuickTime's dates, to 1970.
    private static let secondsFrom1904: Int64 = 2_082_844_800
    /// Smallest unit in bytes in which the system writes a file.
    private static let pageSize = 4096
    /// Smallest unit in bytes that a disk writes as a whole or not at all.
    private static let sectorSize = 512
    /// Smallest number of bytes of samples in a fragment that is written past the page cache: there the system copies nothing.
    /// Of less the copy costs no more than to wait for the disk and to fill the blocks.
    private static let directByteCount = 256 << 10
    /// Largest number of bytes that wait in memory before a fragment is written.
    private static let pendingByteLimit = 64 << 20

    /// Creates the file, which must not exist.
    ///
    /// - Parameters:
    ///   - path: Final path of the file, in a folder that exists.
    ///   - kind: Dialect of the file.
    ///   - tracks: At least one track; packets name tracks by their index.
    ///   - createdAt: Date of T0.
    ///   - disk: Hooks into the writing of the file.
    /// - Throws: `FileError` "create" or "write".
    public init(
        path: String, kind: MovieKind, tracks: [MovieTrack], createdAt: Date,
        disk: DiskConduct = DiskConduct()
    ) throws(FileError) {
        precondition(!tracks.isEmpty, "a movie needs a track")
        precondition(
            kind == .mov || !tracks.contains(where: \.isTimecode), "a timecode track belongs in QuickTime")
        self.path = path
        self.kind = kind
        self.createdAt = Self.seconds(createdAt)
        self.tracks = tracks.enumerated().map { RecordedTrack($1, number: UInt32($0 + 1)) }
        leadingTrack = tracks.firstIndex(where: \.isVideo) ?? tracks.firstIndex { !$0.isTimecode } ?? 0
        // Audio's own ticks make its length exact to the sample; a frame's is rounded by 10 µs at most.
        movieTimeScale = (tracks.first { $0.handler == "soun" } ?? tracks[leadingTrack]).timeScale

        file = try OutputFile(creating: path, disk: disk)
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

    /// Creates the file for tests of a full disk: writing fails at `diskCapacity` bytes.
    package convenience init(
        path: String, kind: MovieKind, tracks: [MovieTrack], createdAt: Date, diskCapacity: Int64
    ) throws(FileError) {
        try self.init(
            path: path, kind: kind, tracks: tracks, createdAt: createdAt,
            disk: DiskConduct(capacity: diskCapacity))
    }

    /// Replaces the date of T0 in a file that was created before T0 was known. Call it before the first packet only.
    ///
    /// - Parameters:
    ///   - createdAt: Date of T0.
    ///   - timecode: Time of day at T0, for the time code tracks; `nil` leaves them unchanged.
    public func begin(createdAt: Date, timecode: Timecode?) {
        precondition(
            beginning == nil && tracks.allSatisfy { $0.description.isTimecode || $0.pending.isEmpty },
            "a file with packets has begun")
        self.createdAt = Self.seconds(createdAt)
        guard let timecode else { return }
        for index in tracks.indices {
            guard case .timecode(_, let name) = tracks[index].description else { continue }
            tracks[index] = RecordedTrack(.timecode(timecode, name: name), number: tracks[index].number)
        }
    }

    private static func seconds(_ date: Date) -> Int64 {
        secondsFrom1904 + Int64(rounding: date.timeIntervalSince1970, .down)
    }

    /// Takes the next packet of a track, in decoding order, and writes a fragment about every 0.5 s.
    ///
    /// - Parameters:
    ///   - packet: The packet; its memory is kept until it is written. Its times are ticks of the track since T0.
    ///   - track: Index of the track among those that the file was created with.
    /// - Throws: `FileError` "write", "fdatasync" or "fsync" when this packet or an earlier one cannot be written, and at every
    ///   call after that: the file is whole as far as it got, and can still be finished. Also "write" when 64 MB have come and an
    ///   H.264 track still has no parameter sets, and for a packet that is not later than the one before.
    public func append(_ packet: EncodedPacket, to track: Int) throws(FileError) {
        precondition(isOpen, "a file that is finished takes no packets")
        precondition(!tracks[track].description.isTimecode, "a timecode track has no packets")
        try checkFailure()
        if let fault = tracks[track].append(packet) {
            throw FileError(path: path, operation: "write", detail: fault)
        }
        if isFragmentDue { return try cutFragment() }
        // Only a stream without parameter sets comes this far, and no player could show it.
        guard isFull else { return }
        for index in tracks.indices { tracks[index].dropPending() }
        let error = FileError(
            path: path, operation: "write",
            detail: "\(Self.pendingByteLimit >> 20) MB of H.264 have come without parameter sets.")
        failure = error
        throw error
    }

    /// Writes the pending packets as a fragment, which survives the process at once, and the machine soon after.
    ///
    /// Nothing happens while an H.264 track waits for its first parameter sets.
    ///
    /// - Throws: `FileError` "write", "fdatasync" or "fsync".
    public func cutFragment() throws(FileError) {
        precondition(isOpen, "a file that is finished takes no fragments")
        try checkFailure()
        guard beginning != nil || tracks.allSatisfy(\.isDescribed) else { return }
        try writeWhatWaits()
    }

    /// Writes the last fragment. Only `finish` may follow.
    ///
    /// - Parameter ends: End of each track, as for `finish`.
    /// - Throws: `FileError` "write". `finish` still turns what was written before into a plain movie.
    public func writeRest(ends: [Int64?]) throws(FileError) {
        precondition(isOpen, "a file that is finished takes no fragments")
        for (index, end) in zip(tracks.indices, ends) {
            if let end { tracks[index].trimPending(to: end) }
        }
        guard failure == nil else { return }
        do throws(FileError) { try writeWhatWaits() } catch {
            failure = error
            throw error
        }
    }

    /// Writes the last fragment and the index, and turns the file into a plain movie. The time it takes depends on the size of
    /// the index.
    ///
    /// After a failure of `append` it finishes what was written before, and does not throw that failure again.
    /// - Parameter ends: End of each track by its index, in its own ticks since T0; `nil` for the end of its last packet. An end
    ///   cuts audio that an encoder has padded, to the sample.
    /// - Returns: Content of the file.
    /// - Throws: `FileError` "write", "fdatasync" or "fsync": the file is then still fragmented, or finished without the last
    ///   fragment. "read" where the finished file cannot be read for its checksum.
    @discardableResult
    public func finish(ends: [Int64?] = []) throws(FileError) -> MovieSummary {
        precondition(isOpen, "a file is finished once")
        defer { abandon() }
        let known = failure
        // A failure here is thrown after the rest is in order.
        do throws(FileError) { try writeRest(ends: ends) } catch { failure = error }
        // After a failure no track is stretched to an end that was not written.
        tracks.setEnds(ends, mayStretch: failure == nil)
        durability.finish()
        let (chapterBytes, indexBytes) = finalIndexBytes
        let last = [chapterBytes, indexBytes].filter { !$0.isEmpty }.map { SharedBytes($0) }
        try appendOrCutOff(last)
        checksum?.add(last)
        end += Int64(chapterBytes.count)
        try file.bringIntoForce(indexAt: end, reservedOffset: reservedOffset)
        if known == nil, let failure = failure ?? durability.failure { throw failure }
        return MovieSummary(
            tracks: tracks.map {
                MovieSummary.Track(
                    sampleCount: $0.index.sampleCount, byteCount: $0.index.byteCount,
                    duration: max(0, $0.index.end), timeScale: $0.description.timeScale)
            },
            byteCount: end + Int64(indexBytes.count), checksum: try wholeChecksum())
    }

    /// Checksum of the finished file, with the bytes that were rewritten until now at its end.
    private func wholeChecksum() throws(FileError) -> FileChecksum? {
        guard let checksum else { return nil }
        checksum.add([SharedBytes(try file.read(Int(checksumStart), at: 0))])
        return FileChecksum(value: checksum.value, start: checksumStart)
    }

    /// Number of bytes that `finish` would still write now: pending packets and the index. It is an upper estimate.
    public var finishingByteCount: Int64 {
        tracks.reduce(notes?.byteCount ?? 0) { $0 + Int64($1.pendingByteCount) + $1.finishingByteCount }
    }

    /// Number of samples of a track that are in the file and that readers find now.
    public func writtenSampleCount(ofTrack index: Int) -> Int { tracks[index].index.sampleCount }

    /// Closes the file as it is: playable up to its last fragment.
    public func abandon() {
        isOpen = false
        durability.end()
        file.unlock()
        direct = nil
        for index in tracks.indices { tracks[index].dropPending() }
    }

    /// Leaves a hole that takes no room on the disk, so that tests reach offsets beyond 4 GiB.
    package func leaveHole(byteCount: Int64) throws(FileError) {
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

    /// Whether enough is pending for a fragment: `dueDuration` of the leading track or, should that one be late, 0.8 s of any
    /// track, or too many bytes.
    private var isFragmentDue: Bool {
        guard beginning != nil || tracks.allSatisfy(\.isDescribed) else { return false }
        let leading = tracks[leadingTrack]
        // The first samples should be of all tracks: a track without one cannot tell where T0 is.
        let isComplete = beginning != nil || tracks.allSatisfy { !$0.pending.isEmpty }
        let waiting = Nanoseconds.duration(
            of: leading.pendingDuration, perSecond: leading.description.timeScale)
        if isComplete, waiting >= dueDuration { return true }
        return tracks.contains { $0.pendingDuration * 5 >= $0.description.timeScale * 4 } || isFull
    }

    /// When the next fragment is written, by the leading track; `nil` before its first packet, and where packets of other tracks come much
    /// faster than its own, or wait for it.
    package var rhythm: WriteRhythm? {
        let leading = tracks[leadingTrack]
        let scale = leading.description.timeScale
        guard leading.lastDuration > 0 else { return nil }
        let rhythm = WriteRhythm(
            missing: dueDuration - .duration(of: leading.pendingDuration, perSecond: scale),
            step: .duration(of: leading.lastDuration, perSecond: scale),
            isAlone: tracks.count(where: { !$0.description.isTimecode }) == 1)
        let isSteady = rhythm.missing > .zero && rhythm.step < .milliseconds(100)
        return rhythm.isAlone || isSteady ? rhythm : nil
    }

    private var isFull: Bool { tracks.reduce(0) { $0 + $1.pendingByteCount } >= Self.pendingByteLimit }

    /// Length of the leading track that makes a fragment: with what waits to be aligned and encoded, 0.5 s at usual rates means
    /// that a crash takes less than a second. The more the leading track's encoder is behind the others, the shorter it is.
    private var dueDuration: Nanoseconds {
        let usual = Nanoseconds.milliseconds(500)
        guard let leading = tracks[leadingTrack].reached,
            let furthest = tracks.compactMap(\.reached).max()
        else { return usual }
        return min(usual, max(.milliseconds(100), .milliseconds(600) - (furthest - leading)))
    }

    private func writeWhatWaits() throws(FileError) {
        do throws(FileError) {
            try writeFragment()
        } catch {
            failure = error
            for index in tracks.indices { tracks[index].dropPending() }
            throw error
        }
        durability.request()
    }

    private func writeFragment() throws(FileError) {
        if let beginning {
            try writeLaterFragment()
            // Readers that trust durations find them up to date. All bytes keep their places, so a torn write does no harm.
            try file.write(
                indexBytes(of: beginning.tracks, reached: reached(by: tracks)), at: beginning.offset)
        } else {
            try writeBeginning()
        }
    }

    /// Writes the movie's index with the first samples, and these samples.
    ///
    /// They are in the index and not in a fragment because readers hide what is before T0 only there: libavformat applies edit
    /// lists to an index, but not to fragments.
    private func writeBeginning() throws(FileError) {
        for index in tracks.indices { tracks[index].fixFragmentShift() }
        let samples = tracks.indices.filter { tracks[$0].isDescribed }.flatMap {
            tracks[$0].pending.map(\.bytes)
        }
        let sampleByteCount = samples.reduce(0) { $0 + $1.count }
        // The samples follow the index that tells where they are, so it is first made to know its size.
        let indexSize = indexBytes(of: begun(at: 0), reached: reached(by: tracks)).count
        let begun = begun(at: end + Int64(indexSize) + 8)
        let index = indexBytes(of: begun, reached: reached(by: begun))
        var head = BoxBuffer()
        head.put32(UInt32(8 + sampleByteCount))
        head.put(code: "mdat")
        let media = [SharedBytes(head.bytes)] + samples
        try appendOrCutOff([SharedBytes(index)] + media)
        checksum?.add(media)
        checksumStart = end + Int64(index.count)
        beginning = (begun, end)
        end += Int64(index.count + head.count + sampleByteCount)
        tracks = begun
    }

    /// The tracks with their pending samples added to their indices, as lying in the file from `offset` on.
    private func begun(at offset: Int64) -> [RecordedTrack] {
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
            // The box before it is written by the page cache, up to a page that the fragment does not touch.
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

    /// A `free` box that keeps the next `count` bytes inside one page of memory if they fit, and inside one disk sector if they
    /// fit there; empty where none is needed.
    ///
    /// A write that a kill cuts short ends between pages, and one that a power cut splits is split between sectors. libavformat
    /// gives up a whole file in which a fragment's list of samples is incomplete.
    private func padding(before count: Int) -> [UInt8] {
        let unit = count <= Self.sectorSize ? Self.sectorSize : Self.pageSize
        let used = Int(end % Int64(unit))
        guard used + count > unit, count <= unit else { return [] }
        return Self.freeBox(from: end, toNext: unit)
    }

    /// A `free` box from a place in the file up to the next multiple of `unit` bytes, or the one after that where it has no room;
    /// empty where the place is such a multiple.
    private static func freeBox(from place: Int64, toNext unit: Int) -> [UInt8] {
        let rest = (unit - Int(place % Int64(unit))) % unit
        guard rest > 0 else { return [] }
        var buffer = BoxBuffer()
        buffer.box("free") { $0.putZeros((rest < 8 ? rest + unit : rest) - 8) }
        return buffer.bytes
    }

    /// Writes after the whole part of the file, which is longer from then on.
    private func append(_ pieces: [SharedBytes], by direct: DirectFile? = nil) throws(FileError) {
        try appendOrCutOff(pieces, by: direct)
        checksum?.add(pieces)
        end += pieces.reduce(0) { $0 + Int64($1.count) }
    }

    /// Writes after the whole part of the file. After a failure the remainder is cut off again, which also makes room on a full
    /// disk.
    private func appendOrCutOff(_ pieces: [SharedBytes], by direct: DirectFile? = nil) throws(FileError) {
        do throws(FileError) {
            try file.write(pieces, at: end, by: direct)
        } catch {
            do throws(FileError) { try file.setEnd(end) } catch {
                // The remainder is an unfinished box, which players skip; the first failure tells more.
            }
            throw error
        }
    }

    // MARK: Finishing

    private func indexBytes(of tracks: [RecordedTrack], reached: [Int64]?) -> [UInt8] {
        MovieBox(
            kind: kind, createdAt: createdAt, movieTimeScale: movieTimeScale, tracks: tracks, reached: reached
        ).bytes
    }

    /// The index of the whole movie, and before it a box with the chapters' texts, which becomes a part of the media data; empty
    /// without chapters.
    private var finalIndexBytes: (chapters: [UInt8], index: [UInt8]) {
        var index = MovieBox(
            kind: kind, createdAt: createdAt, movieTimeScale: movieTimeScale, tracks: tracks, reached: nil)
        guard let notes else { return ([], index.bytes) }
        let length = FrameRate(movieTimeScale).time(ofTick: index.duration)
        let chapters = notes.chapters(until: length)
        index.notes = NotesBox(notes: notes, chapters: chapters)
        guard !chapters.isEmpty else { return ([], index.bytes) }
        let track = ChapterTrack(
            chapters, end: length, number: UInt32(tracks.count + 1), offset: end + 8, of: index)
        index.chapters = track
        var texts = BoxBuffer()
        // Until the file is finished readers skip it.
        texts.box("free") { box in
            for sample in track.samples { box.put(sample) }
        }
        return (texts.bytes, index.bytes)
    }

    /// How far each track reaches in the file, in ticks of the movie since T0.
    private func reached(by tracks: [RecordedTrack]) -> [Int64] {
        tracks.map { max(0, $0.index.end).rescaled(from: $0.description.timeScale, to: movieTimeScale) }
    }
}
