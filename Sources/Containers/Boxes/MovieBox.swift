internal import MulticamMedia

/// Writes the index of a movie (`moov`, ISO/IEC 14496-12, 8.2; QuickTime File Format). An index before the
/// fragments describes the first samples, and an index at the end of the file describes all samples.
struct MovieBox {
    let kind: MovieKind
    /// Creation date in seconds since 1904-01-01 00:00 UTC.
    let createdAt: Int64
    let movieTimeScale: Int64
    let tracks: [RecordedTrack]
    /// Current end of each track during a recording, in movie ticks relative to T0; `nil` for a complete
    /// movie.
    let reached: [Int64]?
    /// Metadata of a complete movie; `nil` for none.
    var metadata: UserDataBox?
    /// Chapter track of a complete movie; `nil` for none.
    var chapters: ChapterTrack?

    var bytes: [UInt8] {
        var buffer = BoxBuffer()
        // Tracks without decoder information don't have samples and are omitted.
        let described = tracks.filter(\.isDescribed)
        buffer.box("moov") { moov in
            writeMovieHeader(into: &moov)
            for track in described { write(track, into: &moov) }
            chapters?.write(into: &moov)
            metadata?.write(into: &moov)
            guard let reached else { return }
            moov.box("mvex") { box in
                box.fullBox("mehd", version: 1) { $0.put64(UInt64(reached.max() ?? 0)) }
                for track in described {
                    box.fullBox("trex") { defaults in
                        defaults.put32(track.number)
                        defaults.put32(1)  // index of the only sample description
                        defaults.putZeros(12)
                    }
                }
            }
        }
        return buffer.bytes
    }

    /// Adds metadata and, if there are chapters, a chapter track.
    ///
    /// - Parameters:
    ///   - metadata: Metadata of the complete movie.
    ///   - offset: File offset at which the returned bytes will be stored.
    /// - Returns: The samples of the chapter track; empty if there are no chapters.
    mutating func add(_ metadata: MovieMetadata, chaptersAt offset: Int64) -> [UInt8] {
        let length = FrameRate(movieTimeScale).time(ofTick: duration)
        let chapters = metadata.chapters(until: length)
        self.metadata = UserDataBox(metadata: metadata, chapters: chapters)
        guard !chapters.isEmpty else { return [] }
        let track = ChapterTrack(
            chapters, end: length, number: (tracks.map(\.number).max() ?? 0) + 1, offset: offset, of: self)
        self.chapters = track
        return track.samples.flatMap(\.self)
    }

    /// Duration of the movie in movie ticks.
    var duration: Int64 { tracks.map { duration(of: $0) }.max() ?? 0 }

    /// Duration of a track from T0 to its end, in movie ticks.
    private func duration(of track: RecordedTrack) -> Int64 {
        reached.map { $0[Int(track.number) - 1] } ?? editList(of: track).duration
    }

    private func editList(of track: RecordedTrack) -> EditList {
        guard reached != nil else {
            return EditList(
                of: track.index, timeScale: track.description.timeScale, movieTimeScale: movieTimeScale)
        }
        return EditList(beginningOf: track, length: duration(of: track))
    }

    private func writeMovieHeader(into buffer: inout BoxBuffer) {
        let version = version(for: duration)
        buffer.fullBox("mvhd", version: version) { box in
            writeDates(version: version, into: &box)
            box.put32(UInt32(clamping: movieTimeScale))
            box.put(duration, version: version)
            box.putFixed(1)  // playback speed 1
            box.put16(0x0100)  // volume 1
            box.putZeros(10)
            DisplayMatrix.write(.none, size: FrameSize(width: 0, height: 0), into: &box)
            box.putZeros(24)
            // `next_track_ID`: the next unused track number.
            box.put32((tracks.map(\.number).max() ?? 0) + (chapters == nil ? 1 : 2))
        }
    }

    private func writeDates(version: UInt8, into buffer: inout BoxBuffer) {
        buffer.put(createdAt, version: version)
        buffer.put(createdAt, version: version)
    }

    /// Returns the box version whose fields are wide enough for a duration. During a recording, the version
    /// is always 1, because the size of the box must not change.
    private func version(for duration: Int64) -> UInt8 {
        duration > UInt32.max || createdAt > UInt32.max || reached != nil ? 1 : 0
    }

    // MARK: Tracks

    private func write(_ track: RecordedTrack, into buffer: inout BoxBuffer) {
        buffer.box("trak") { box in
            writeTrackHeader(of: track, into: &box)
            editList(of: track).write(into: &box)
            writeReference(of: track, into: &box)
            box.box("mdia") { media in
                writeMediaHeader(of: track, into: &media)
                Self.writeHandler(
                    track.description.handler, component: "mhlr", name: track.description.name, as: kind,
                    into: &media)
                media.box("minf") { writeMediaInformation(of: track, into: &$0) }
            }
        }
    }

    private func writeTrackHeader(of track: RecordedTrack, into buffer: inout BoxBuffer) {
        let duration = duration(of: track)
        let version = version(for: duration)
        buffer.fullBox("tkhd", version: version, flags: flags(of: track)) { box in
            writeDates(version: version, into: &box)
            box.put32(track.number)
            box.put32(0)
            box.put(duration, version: version)
            box.putZeros(8)
            box.put16(0)  // layer
            box.put16(0)  // no alternate group
            box.put16(track.description.handler == "soun" ? 0x0100 : 0)  // volume
            box.put16(0)
            var (rotation, size) = (Rotation.none, FrameSize(width: 0, height: 0))
            if case .video(let parameters, let turned, _) = track.description {
                rotation = turned
                size = parameters.size ?? size
            }
            DisplayMatrix.write(rotation, size: size, into: &box)
            box.putFixed(size.width)
            box.putFixed(size.height)
        }
    }

    /// Flags of `tkhd`. Players show all enabled video tracks on top of each other, so only the first video
    /// track is enabled. Players mix audio tracks, so all of them are enabled.
    private func flags(of track: RecordedTrack) -> UInt32 {
        let (isEnabled, isInMovie): (UInt32, UInt32) = (1, 2)
        let firstVideo = tracks.first { $0.description.isVideo }
        switch track.description {
        case .video: return track.number == firstVideo?.number ? isEnabled | isInMovie : isInMovie
        case .audio: return isEnabled | isInMovie
        case .timecode: return isInMovie
        }
    }

    /// Writes the references from a video track to the timecode track, and from video and audio tracks to the
    /// chapter track.
    private func writeReference(of track: RecordedTrack, into buffer: inout BoxBuffer) {
        let timecode = track.description.isVideo ? tracks.first { $0.description.isTimecode } : nil
        let chapters = track.description.isTimecode ? nil : chapters
        guard timecode != nil || chapters != nil else { return }
        buffer.box("tref") { box in
            if let timecode { box.box("tmcd") { $0.put32(timecode.number) } }
            if let chapters { box.box("chap") { $0.put32(chapters.number) } }
        }
    }

    // MARK: Media

    private func writeMediaHeader(of track: RecordedTrack, into buffer: inout BoxBuffer) {
        let duration = track.index.mediaDuration
        let version = version(for: duration)
        buffer.fullBox("mdhd", version: version) { box in
            writeDates(version: version, into: &box)
            box.put32(UInt32(clamping: track.description.timeScale))
            box.put(duration, version: version)
            box.put16(kind == .mp4 ? 0x55C4 : 0x7FFF)  // language `und`, or QuickTime's equivalent
            box.put16(0)
        }
    }

    static func writeHandler(
        _ type: String, component: String, name: String, as kind: MovieKind, into buffer: inout BoxBuffer
    ) {
        buffer.fullBox("hdlr") { box in
            if kind == .mov { box.put(code: component) } else { box.put32(0) }
            box.put(code: type)
            box.putZeros(12)
            let text = Array(name.utf8.prefix(255))
            if kind == .mov { box.put8(UInt8(text.count)) }
            box.put(text)
            if kind == .mp4 { box.put8(0) }
        }
    }

    private func writeMediaInformation(of track: RecordedTrack, into buffer: inout BoxBuffer) {
        switch track.description {
        case .video: buffer.fullBox("vmhd", flags: 1) { $0.putZeros(8) }
        case .audio: buffer.fullBox("smhd") { $0.putZeros(4) }
        case .timecode: writeTimecodeHeader(into: &buffer)
        }
        Self.writeDataReference(as: kind, into: &buffer)
        let average = track.index.byteCount.averageBitrate(
            over: track.index.mediaDuration, of: track.description.timeScale)
        let description = SampleDescription(
            kind: kind, track: track.description, configuration: track.configuration,
            bitrate: reached == nil ? average : 0)
        SampleTable(description: description, index: track.index).write(into: &buffer)
    }

    /// Writes the data reference of a track, which declares that the samples are in the same file.
    static func writeDataReference(as kind: MovieKind, into buffer: inout BoxBuffer) {
        if kind == .mov {
            writeHandler("url ", component: "dhlr", name: "DataHandler", as: kind, into: &buffer)
        }
        buffer.box("dinf") { box in
            box.fullBox("dref") { list in
                list.put32(1)
                list.fullBox("url ", flags: 1) { _ in }  // the data is in this file
            }
        }
    }

    /// Writes the display properties of a timecode track (QuickTime File Format, timecode media information).
    private func writeTimecodeHeader(into buffer: inout BoxBuffer) {
        buffer.box("gmhd") { box in
            box.fullBox("gmin") { general in
                general.put16(0x40)  // graphics mode: copy
                for _ in 0..<3 { general.put16(0x8000) }
                general.putZeros(4)
            }
            box.box("tmcd") { media in
                media.fullBox("tcmi") { text in
                    text.put16(0)  // font: the system's font
                    text.put16(0)
                    text.put16(12)  // font size in points
                    text.put16(0)
                    for _ in 0..<3 { text.put16(0) }  // text color: black
                    for _ in 0..<3 { text.put16(0xFFFF) }  // background color: white
                    text.put8(0)
                }
            }
        }
    }
}

extension Int64 {
    /// Returns the average bit rate of this number of bytes over a time in ticks, in bits per second; 0 if
    /// the time is 0.
    fileprivate func averageBitrate(over ticks: Int64, of timeScale: Int64) -> UInt32 {
        ticks > 0 ? UInt32(clamping: Int64(Double(self) * 8 * Double(timeScale) / Double(ticks))) : 0
    }
}

/// Edit list of a track (`elst`, ISO/IEC 14496-12, 8.6.6). The list specifies which parts of the track are
/// shown at which time, and maps T0 to time 0.
struct EditList {
    /// One entry of the edit list.
    struct Edit {
        /// Duration of the edit in movie ticks.
        let duration: Int64
        /// Start of the visible part on the track's timeline, in track ticks; −1 for an empty edit.
        let mediaTime: Int64
    }

    private(set) var edits: [Edit] = []
    private var isGrowing = false

    /// Creates the edit list of a track that is being recorded. The index of the file then describes only the
    /// first samples, and fragments follow.
    ///
    /// - Parameters:
    ///   - track: The track with the samples that the index describes.
    ///   - length: Time from T0 to the current end of the track's data in the file, in movie ticks.
    init(beginningOf track: RecordedTrack, length: Int64) {
        if track.fragmentShift > 0 { edits = [Edit(duration: length, mediaTime: track.fragmentShift)] }
        isGrowing = true
    }

    /// Creates the edit list of a complete track. The list hides samples before T0, and starts with an empty
    /// edit if the track starts after T0.
    init(of index: SampleIndex, timeScale: Int64, movieTimeScale: Int64) {
        guard let firstDecode = index.firstDecode, index.end > 0 else { return }
        let start = max(0, index.firstPresentation)
        guard index.end > start else { return }
        let emptyDuration = start.rescaled(from: timeScale, to: movieTimeScale)
        if start > 0 { edits.append(Edit(duration: emptyDuration, mediaTime: -1)) }
        let duration = index.end.rescaled(from: timeScale, to: movieTimeScale) - emptyDuration
        edits.append(Edit(duration: duration, mediaTime: start - firstDecode))
    }

    /// Total duration of all edits in movie ticks.
    var duration: Int64 { edits.reduce(0) { $0 + $1.duration } }

    func write(into buffer: inout BoxBuffer) {
        guard !edits.isEmpty else { return }
        let isLarge = edits.contains { $0.duration > UInt32.max || $0.mediaTime > Int32.max }
        let version: UInt8 = isLarge || isGrowing ? 1 : 0
        buffer.box("edts") { box in
            box.fullBox("elst", version: version) { list in
                list.put32(UInt32(edits.count))
                for edit in edits {
                    list.put(edit.duration, version: version)
                    list.put(edit.mediaTime, version: version)
                    list.putFixed(1)  // playback speed 1
                }
            }
        }
    }
}

/// Matrix that rotates a stored frame for display (`tkhd`, ISO/IEC 14496-12, 8.3.2). The matrix consists of
/// nine numbers in row-major order and is multiplied by row vectors.
enum DisplayMatrix {
    /// Writes a matrix that rotates a frame clockwise and then shifts it to positive x and y coordinates, as
    /// in movies from phones.
    static func write(_ rotation: Rotation, size: FrameSize, into buffer: inout BoxBuffer) {
        let (a, b, c, d, x, y) =
            switch rotation {
            case .none: (1, 0, 0, 1, 0, 0)
            case .quarter: (0, 1, -1, 0, size.height, 0)
            case .half: (-1, 0, 0, -1, size.width, size.height)
            case .threeQuarters: (0, -1, 1, 0, 0, size.width)
            }
        buffer.putFixed(a)
        buffer.putFixed(b)
        buffer.put32(0)
        buffer.putFixed(c)
        buffer.putFixed(d)
        buffer.put32(0)
        buffer.putFixed(x)
        buffer.putFixed(y)
        buffer.put32(1 << 30)  // 1 in 2.30 fixed point
    }
}
