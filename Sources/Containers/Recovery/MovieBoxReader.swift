import Media

/// Reads a movie's index as `MovieBox` writes it, before the fragments or at the end. The bytes are not trusted: what does not
/// fit is `nil`, and no number makes it take more memory than the box has bytes.
struct MovieBoxReader {
    /// One track of the index.
    struct Track: Equatable {
        let number: UInt32
        let description: MovieTrack
        let configuration: DecoderConfiguration
        /// Samples with times since T0, as far as the edit list tells where T0 is.
        var samples: [PlacedSample]
        /// End of the last shown sample, in ticks since T0; `nil` where no index at the movie's end tells it.
        let indexedEnd: Int64?
        /// Ticks that are added to decode times in the fragments that follow.
        let fragmentShift: Int64
    }

    let kind: MovieKind
    /// Creation date in seconds since 1904-01-01 00:00 UTC.
    let createdAt: Int64
    let movieTimeScale: Int64
    let tracks: [Track]
    /// Whether fragments follow this index.
    let isBeginning: Bool

    /// Highest number of ticks per second that is accepted. With recordings of at most three years, sums of such times do not
    /// overflow.
    private static let highestTimeScale: Int64 = 1_000_000_000
    private static let longestSeconds: Int64 = 100_000_000

    static func isPlausible(_ time: Int64, timeScale: Int64) -> Bool {
        abs(time / timeScale) < longestSeconds
    }

    /// Reads an index; `nil` where something does not fit.
    ///
    /// - Parameters:
    ///   - content: Content of the `moov` box.
    ///   - kind: Dialect of the file.
    ///   - firstFrame: Reads four bytes of the file at an offset: a time code's first label.
    init?(_ content: BoxReader, kind: MovieKind, firstFrame: (Int64) -> UInt32?) {
        self.kind = kind
        guard var header = content.content("mvhd"), let (version, _) = header.readVersion(),
            let created = header.readUnsigned(version: version),
            header.readUnsigned(version: version) != nil,
            let timeScale = header.read32(), (1...Self.highestTimeScale).contains(Int64(timeScale))
        else { return nil }
        createdAt = created
        movieTimeScale = Int64(timeScale)
        isBeginning = content.content("mvex") != nil
        var tracks: [Track] = []
        for box in content.boxes() where box.type == "trak" && !box.content.isChapterTrack {
            guard
                let track = Self.readTrack(
                    box.content, kind: kind, movieTimeScale: Int64(timeScale), isBeginning: isBeginning,
                    firstFrame: firstFrame), !tracks.contains(where: { $0.number == track.number })
            else { return nil }
            tracks.append(track)
        }
        guard !tracks.isEmpty else { return nil }
        self.tracks = tracks
    }

    /// Creates a copy with other samples.
    init(_ other: MovieBoxReader, tracks: [Track]) {
        kind = other.kind
        createdAt = other.createdAt
        movieTimeScale = other.movieTimeScale
        isBeginning = other.isBeginning
        self.tracks = tracks
    }

    private static func readTrack(
        _ content: BoxReader, kind: MovieKind, movieTimeScale: Int64, isBeginning: Bool,
        firstFrame: (Int64) -> UInt32?
    ) -> Track? {
        guard let (number, rotation) = readTrackHeader(content),
            var media = content.content("mdia", "mdhd"), let (version, _) = media.readVersion(),
            media.skip(version == 1 ? 16 : 8) != nil, let rawScale = media.read32(),
            (1...highestTimeScale).contains(Int64(rawScale)),
            let (handler, name) = readHandler(content.content("mdia", "hdlr"), kind: kind),
            let table = content.content("mdia", "minf", "stbl"),
            let entry = SampleEntryReader(table.content("stsd")),
            var samples = SampleTableReader.read(table, timeScale: Int64(rawScale))
        else { return nil }
        let timeScale = Int64(rawScale)
        guard let edits = readEdits(content) else { return nil }
        let (shift, empty) = edits.isEmpty ? (0, 0) : (edits.last?.mediaTime ?? 0, edits.first?.empty ?? 0)
        guard isPlausible(shift, timeScale: timeScale), isPlausible(empty, timeScale: movieTimeScale) else {
            return nil
        }
        let start = empty.rescaled(from: movieTimeScale, to: timeScale) - shift
        samples = samples.map { $0.moved(by: start) }
        let natural = samples.map(\.end).max() ?? 0
        var end: Int64? = isBeginning ? nil : natural
        if !isBeginning, !edits.isEmpty {
            let length = edits.reduce(0) { $0 + ($1.duration < Int64.max / 4 ? $1.duration : 0) }
            guard isPlausible(length, timeScale: movieTimeScale) else { return nil }
            // The natural end is meant where the movie's coarser ticks cannot tell it from the listed one.
            if natural.rescaled(from: timeScale, to: movieTimeScale) != length {
                end = length.rescaled(from: movieTimeScale, to: timeScale)
            }
        }
        guard
            let description = entry.track(
                handler: handler, name: name, timeScale: timeScale, rotation: rotation,
                firstFrame: { samples.first.flatMap { firstFrame($0.offset) } })
        else { return nil }
        return Track(
            number: number, description: description, configuration: entry.configuration, samples: samples,
            indexedEnd: end, fragmentShift: shift)
    }

    private static func readTrackHeader(_ content: BoxReader) -> (number: UInt32, rotation: Rotation)? {
        guard var header = content.content("tkhd"), let (version, _) = header.readVersion(),
            header.skip(version == 1 ? 16 : 8) != nil, let number = header.read32(), number > 0,
            header.skip(4 + (version == 1 ? 8 : 4) + 16) != nil,
            let a = header.read32(), let b = header.read32()
        else { return nil }
        let one: UInt32 = 1 << 16
        let rotation: Rotation? =
            switch (a, b) {
            case (one, 0): Rotation.none
            case (0, one): .quarter
            case (0 &- one, 0): .half
            case (0, 0 &- one): .threeQuarters
            default: nil
            }
        return rotation.map { (number, $0) }
    }

    private static func readHandler(_ box: BoxReader?, kind: MovieKind) -> (type: String, name: String)? {
        guard var reader = box, reader.skip(8) != nil, let type = reader.readCode(), reader.skip(12) != nil
        else { return nil }
        if kind == .mov {
            guard let count = reader.read8(), let name = reader.read(Int(count)) else { return nil }
            return (type, String(decoding: name, as: UTF8.self))
        }
        return (type, String(decoding: reader.restBytes.prefix { $0 != 0 }, as: UTF8.self))
    }

    private struct Edit {
        let duration: Int64
        let mediaTime: Int64
        /// Time in which nothing is shown, in ticks of the movie.
        var empty: Int64 { mediaTime < 0 ? duration : 0 }
    }

    /// Reads the edit list of a track; empty where there is none, `nil` where it is not as `EditList` writes it.
    private static func readEdits(_ content: BoxReader) -> [Edit]? {
        guard var reader = content.content("edts", "elst") else { return [] }
        guard let (version, _) = reader.readVersion(), let count = reader.read32(), count <= 2 else {
            return nil
        }
        var edits: [Edit] = []
        for _ in 0..<count {
            guard let duration = reader.readUnsigned(version: version),
                let time = reader.readSigned(version: version), time >= -1, reader.read32() == 1 << 16
            else { return nil }
            edits.append(Edit(duration: duration, mediaTime: time))
        }
        guard let last = edits.last, last.mediaTime >= 0, edits.count == 1 || edits[0].mediaTime == -1 else {
            return nil
        }
        return edits
    }
}
