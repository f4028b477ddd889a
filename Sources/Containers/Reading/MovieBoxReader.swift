import MulticamMedia

/// Reads the index of a movie (`moov`) in the format that `MovieBox` writes, either before the fragments or
/// at the end of the file. The bytes aren't trusted: invalid data results in `nil`, and no value in the box
/// can make the reader use more memory than the size of the box.
struct MovieBoxReader {
    /// One track of the index.
    struct Track: Equatable {
        let number: UInt32
        let description: MovieTrack
        let configuration: DecoderConfiguration
        /// The samples of the track. Their times are relative to T0 if the edit list contains the position of
        /// T0.
        var samples: [PlacedSample]
        /// End of the last visible sample according to an index at the end of the movie, in ticks relative to
        /// T0; `nil` if there is no such index.
        let indexedEnd: Int64?
        /// Offset in ticks that is added to all decoding times in the fragments.
        let fragmentShift: Int64

        /// End of the last visible sample, in ticks relative to T0.
        var end: Int64 { indexedEnd ?? samples.map(\.end).max() ?? 0 }
    }

    let kind: MovieKind
    /// Creation date in seconds since 1904-01-01 00:00 UTC.
    let createdAt: Int64
    let movieTimeScale: Int64
    let tracks: [Track]
    /// Whether fragments follow this index.
    let isInitialIndex: Bool

    /// Maximum accepted number of ticks per second. At this limit, sums of times don't overflow for
    /// recordings of up to three years.
    private static let highestTimeScale: Int64 = 1_000_000_000
    private static let longestSeconds: Int64 = 100_000_000

    static func isPlausible(_ time: Int64, timeScale: Int64) -> Bool {
        abs(time / timeScale) < longestSeconds
    }

    /// Reads an index; `nil` if the data is invalid.
    ///
    /// - Parameters:
    ///   - content: Content of the `moov` box.
    ///   - kind: File format variant.
    ///   - firstFrame: Reads the first label of a timecode track, which consists of four bytes at a file
    ///     offset.
    init?(_ content: BoxReader, kind: MovieKind, firstFrame: (Int64) -> UInt32?) {
        self.kind = kind
        guard var header = content.content("mvhd"), let (version, _) = header.readVersion(),
            let created = header.readUnsigned(version: version),
            header.readUnsigned(version: version) != nil,
            let timeScale = header.read32(), (1...Self.highestTimeScale).contains(Int64(timeScale))
        else { return nil }
        createdAt = created
        movieTimeScale = Int64(timeScale)
        isInitialIndex = content.content("mvex") != nil
        var tracks: [Track] = []
        for box in content.boxes() where box.type == "trak" && !box.content.isChapterTrack {
            guard
                let track = Self.readTrack(
                    box.content, kind: kind, movieTimeScale: Int64(timeScale), isBeginning: isInitialIndex,
                    firstFrame: firstFrame), !tracks.contains(where: { $0.number == track.number })
            else { return nil }
            tracks.append(track)
        }
        guard !tracks.isEmpty else { return nil }
        self.tracks = tracks
    }

    /// Creates a copy of an index with other tracks.
    init(_ other: MovieBoxReader, tracks: [Track]) {
        kind = other.kind
        createdAt = other.createdAt
        movieTimeScale = other.movieTimeScale
        isInitialIndex = other.isInitialIndex
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
            // The edit list stores the end of the track in movie ticks, which are coarser than track ticks.
            // If the end of the last sample rounds to the stored value, the exact end of the sample is used.
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
        return (type, String(decoding: reader.remainingBytes.prefix { $0 != 0 }, as: UTF8.self))
    }

    private struct Edit {
        let duration: Int64
        let mediaTime: Int64
        /// Duration of an empty edit in movie ticks; 0 for other edits.
        var empty: Int64 { mediaTime < 0 ? duration : 0 }
    }

    /// Reads the edit list of a track. The result is empty if the track doesn't have an edit list, and `nil`
    /// if the list isn't in the format that `EditList` writes.
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

/// Reads the decoder configuration (`stsd`) in the format that `SampleDescription` writes.
struct SampleEntryReader {
    private let type: String
    private var size: FrameSize?
    private var color: ColorDescription?
    private var pixelAspect: AspectRatio?
    private var audio: AudioFormat?
    private var setup: [UInt8] = []
    private var objectType: UInt8?
    private var timecode: (rate: FrameRate, isDropFrame: Bool)?
    private(set) var configuration = DecoderConfiguration(setup: [])

    init?(_ box: BoxReader?) {
        guard var list = box, list.readVersion() != nil, list.read32() == 1, let entry = list.readBox() else {
            return nil
        }
        type = entry.type
        var content = entry.content
        guard content.skip(8) != nil else { return nil }
        switch type {
        case "jpeg", "avc1": guard readFrames(content) else { return nil }
        case "mp4v": guard readFrames(content), objectType == 0x6C else { return nil }
        case "mp4a": guard readAudio(content), objectType == 0x40 else { return nil }
        case "tmcd": guard readTimecode(content) else { return nil }
        default: return nil
        }
    }

    /// Returns the description of the track in the file; `nil` if the parts of the description are
    /// inconsistent.
    func track(
        handler: String, name: String, timeScale: Int64, rotation: Rotation, firstFrame: () -> UInt32?
    ) -> MovieTrack? {
        switch (type, handler) {
        case ("jpeg", "vide"), ("mp4v", "vide"), ("avc1", "vide"):
            var parameters = StreamParameters(
                codec: type == "avc1" ? .h264 : .mjpeg, timeScale: timeScale, setup: setup, size: size,
                color: color)
            parameters.pixelAspect = pixelAspect
            return .video(parameters, rotation: rotation, name: name)
        case ("mp4a", "soun"):
            let parameters = StreamParameters(codec: .aac, timeScale: timeScale, setup: setup, audio: audio)
            return .audio(parameters, name: name)
        case ("tmcd", "tmcd"):
            guard let timecode, timecode.rate.frames == timeScale, let first = firstFrame() else {
                return nil
            }
            return .timecode(
                Timecode(rate: timecode.rate, firstFrame: first, isDropFrame: timecode.isDropFrame),
                name: name)
        default: return nil
        }
    }

    // MARK: Sample descriptions

    private mutating func readFrames(_ entry: BoxReader) -> Bool {
        var reader = entry
        guard reader.skip(16) != nil, let width = reader.read16(), let height = reader.read16(),
            reader.skip(50) != nil
        else { return false }
        size = FrameSize(width: Int(width), height: Int(height))
        for box in reader.boxes() {
            switch box.type {
            case "avcC":
                setup = box.content.remainingBytes
                configuration = DecoderConfiguration(setup: setup)
            case "esds": readStreamDescriptor(box.content)
            case "colr": color = Self.color(box.content)
            case "pasp": pixelAspect = Self.pixelAspect(box.content)
            default: break
            }
        }
        return type != "avc1" || configuration.isComplete
    }

    private static func pixelAspect(_ box: BoxReader) -> AspectRatio? {
        var reader = box
        guard let width = reader.read32(), let height = reader.read32(), width != height else { return nil }
        return AspectRatio(width: Int(width), over: Int(height))
    }

    private static func color(_ box: BoxReader) -> ColorDescription? {
        var reader = box
        guard let kind = reader.readCode(), kind == "nclx" || kind == "nclc", reader.skip(4) != nil,
            let matrix = reader.read16()
        else { return nil }
        let isFull = kind == "nclx" && (reader.read8() ?? 0) & 0x80 != 0
        return ColorDescription(matrix: matrix == 1 ? .bt709 : .bt601, range: isFull ? .full : .limited)
    }

    private mutating func readAudio(_ entry: BoxReader) -> Bool {
        var reader = entry
        guard let version = reader.read16(), version <= 1, reader.skip(6) != nil,
            let channels = reader.read16(),
            reader.skip(6) != nil, let rate = reader.read32(), reader.skip(version == 1 ? 16 : 0) != nil,
            channels > 0
        else { return false }
        audio = AudioFormat(rate: Int(rate >> 16), channels: Int(channels))
        for box in version == 1 ? reader.content("wave")?.boxes() ?? [] : reader.boxes()
        where box.type == "esds" {
            readStreamDescriptor(box.content)
        }
        return true
    }

    private mutating func readTimecode(_ entry: BoxReader) -> Bool {
        var reader = entry
        guard reader.skip(4) != nil, let flags = reader.read32(), let frames = reader.read32(),
            let seconds = reader.read32(), frames > 0, seconds > 0, frames < 1 << 20, seconds < 1 << 20
        else { return false }
        timecode = (FrameRate(Int64(frames), per: Int64(seconds)), flags & 1 != 0)
        return true
    }

    /// Reads the object type and the decoder-specific configuration from an `esds` box.
    private mutating func readStreamDescriptor(_ box: BoxReader) {
        var reader = box
        guard reader.readVersion() != nil, Self.descriptor(3, &reader) != nil, reader.skip(3) != nil,
            Self.descriptor(4, &reader) != nil, let object = reader.read8(), reader.skip(12) != nil
        else { return }
        objectType = object
        if let count = Self.descriptor(5, &reader), let bytes = reader.read(count) { setup = bytes }
    }

    /// Reads the size of the next descriptor (ISO/IEC 14496-1, 8.3.3). The result is `nil` if the descriptor
    /// doesn't have the tag `tag`.
    private static func descriptor(_ tag: UInt8, _ reader: inout BoxReader) -> Int? {
        guard reader.read8() == tag else { return nil }
        var size = 0
        for _ in 0..<4 {
            guard let byte = reader.read8() else { return nil }
            size = size << 7 | Int(byte & 0x7F)
            if byte & 0x80 == 0 { return size }
        }
        return nil
    }
}

/// Reads the position and time of each sample (`stbl`) in the format that `SampleTable` writes.
enum SampleTableReader {
    /// Returns the samples of a track. Decoding times are in track ticks and start at 0. The result is `nil`
    /// if the tables contradict each other.
    static func read(_ table: BoxReader, timeScale: Int64) -> [PlacedSample]? {
        guard let sizes = sizes(table.content("stsz")),
            let offsets = offsets(table, sizes: sizes),
            let durations = runs(table.content("stts"), count: sizes.count)
        else { return nil }
        var compositionOffsets = [UInt32](repeating: 0, count: sizes.count)
        if let box = table.content("ctts") {
            guard let read = runs(box, count: sizes.count) else { return nil }
            compositionOffsets = read
        }
        var isKey = [Bool](repeating: true, count: sizes.count)
        if let box = table.content("stss") {
            guard let keys = keys(box, count: sizes.count) else { return nil }
            isKey = keys
        }
        var samples: [PlacedSample] = []
        samples.reserveCapacity(sizes.count)
        var decode: Int64 = 0
        for index in sizes.indices {
            guard MovieBoxReader.isPlausible(decode, timeScale: timeScale) else { return nil }
            samples.append(
                PlacedSample(
                    offset: offsets[index], byteCount: sizes[index], decode: decode,
                    compositionOffset: compositionOffsets[index], duration: Int64(durations[index]),
                    isKey: isKey[index]))
            decode += Int64(durations[index])
        }
        return samples
    }

    private static func sizes(_ box: BoxReader?) -> [UInt32]? {
        guard var reader = box, reader.readVersion() != nil, reader.read32() == 0,
            let count = reader.read32(),
            reader.remainingCount == Int(count) * 4
        else { return nil }
        return (0..<count).compactMap { _ in reader.read32() }
    }

    /// Expands a run-length table; `nil` if the run lengths don't add up to `count`.
    private static func runs(_ box: BoxReader?, count: Int) -> [UInt32]? {
        guard var reader = box, reader.readVersion() != nil, let runs = reader.read32(),
            reader.remainingCount == Int(runs) * 8
        else { return nil }
        var values: [UInt32] = []
        values.reserveCapacity(count)
        for _ in 0..<runs {
            guard let length = reader.read32(), let value = reader.read32(),
                Int(length) <= count - values.count
            else { return nil }
            values.append(contentsOf: repeatElement(value, count: Int(length)))
        }
        return values.count == count ? values : nil
    }

    private static func keys(_ box: BoxReader, count: Int) -> [Bool]? {
        var reader = box
        guard reader.readVersion() != nil, let keys = reader.read32(), reader.remainingCount == Int(keys) * 4
        else {
            return nil
        }
        var isKey = [Bool](repeating: false, count: count)
        for _ in 0..<keys {
            guard let number = reader.read32(), number >= 1, Int(number) <= count else { return nil }
            isKey[Int(number) - 1] = true
        }
        return isKey
    }

    /// Returns the file offset of each sample, computed from the chunk offsets and the number of samples in
    /// each chunk.
    private static func offsets(_ table: BoxReader, sizes: [UInt32]) -> [Int64]? {
        guard var places = table.content("co64"), places.readVersion() != nil, let chunks = places.read32(),
            places.remainingCount == Int(chunks) * 8,
            var counts = table.content("stsc"), counts.readVersion() != nil, let runs = counts.read32(),
            counts.remainingCount == Int(runs) * 12
        else { return nil }
        var starts: [(chunk: UInt32, samples: UInt32)] = []
        for _ in 0..<runs {
            guard let chunk = counts.read32(), let samples = counts.read32(), counts.read32() == 1,
                chunk > starts.last?.chunk ?? 0
            else { return nil }
            starts.append((chunk, samples))
        }
        guard chunks == 0 || starts.first?.chunk == 1 else { return nil }
        var offsets: [Int64] = []
        offsets.reserveCapacity(sizes.count)
        var run = 0
        for chunk in 0..<chunks {
            if run + 1 < starts.count, chunk + 1 >= starts[run + 1].chunk { run += 1 }
            guard let place = places.read64().flatMap({ Int64(exactly: $0) }), place < 1 << 60,
                Int(starts[run].samples) <= sizes.count - offsets.count
            else { return nil }
            var offset = place
            for _ in 0..<starts[run].samples {
                offsets.append(offset)
                offset += Int64(sizes[offsets.count - 1])
            }
        }
        return offsets.count == sizes.count ? offsets : nil
    }
}
