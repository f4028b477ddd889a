package import MulticamMedia

/// Metadata of a finished movie: title, date, chapters, and cover image.
package struct MovieMetadata: Sendable {
    /// A named section of the movie, which lasts until the next chapter starts.
    package struct Chapter: Sendable, Equatable {
        /// Start of the chapter, relative to the movie's time 0.
        package let start: MediaTime
        /// Display name of the chapter.
        package let title: String

        /// Creates a chapter. Each parameter sets the property of the same name.
        package init(start: MediaTime, title: String) {
            self.start = start
            self.title = title
        }
    }

    /// Title of the movie; `nil` for none.
    package var title: String?
    /// Date of the recording, optionally with the time, in ISO 8601 format; `nil` for none.
    package var date: String?
    /// Chapters of the movie, in any order.
    package var chapters: [Chapter]
    /// JPEG cover image that players show when the movie isn't playing; `nil` for none.
    package var cover: SharedBytes?
    /// Number of bytes to reserve on the disk for a cover image that is added at the end of the recording; 0
    /// for none.
    package var reservedCoverSize = 0

    /// Title of the chapter that is added before the first user-defined chapter.
    private static let initialChapterTitle = "Beginning"
    /// Maximum number of chapters in the `chpl` chapter list, which some players read. The list stores the
    /// count in one byte.
    static let longestList = 255

    /// Hint for users if there are more chapters than some players can show; otherwise `nil`.
    package var remark: String? {
        guard chapters.count > Self.longestList else { return nil }
        return
            "the file has \(chapters.count) chapters. Players that support only the short chapter list (`chpl`) show the first \(Self.longestList) chapters; the chapter track contains all of them."
    }

    /// Creates metadata. Each parameter sets the property of the same name.
    package init(
        title: String? = nil, date: String? = nil, chapters: [Chapter] = [], cover: SharedBytes? = nil
    ) {
        self.title = title
        self.date = date
        self.chapters = chapters
        self.cover = cover
    }

    /// Whether the metadata doesn't contain anything to write.
    var isEmpty: Bool {
        title == nil && date == nil && chapters.isEmpty && cover == nil && reservedCoverSize == 0
    }

    /// Upper bound on the size of the written metadata, in bytes.
    var byteCount: Int64 {
        guard !isEmpty else { return 0 }
        let titles = chapters.reduce(0) { $0 + 2 * min($1.title.utf8.count, Self.longestTitle) + 64 }
        return Int64(4096 + titles + max(cover?.count ?? 0, reservedCoverSize))
    }

    /// Maximum length of a chapter title in bytes, because `chpl` stores the length in one byte.
    private static let longestTitle = 255

    /// Returns the chapters as players expect them: sorted by time, with distinct start times, with the first
    /// chapter at time 0, and without chapters after the end.
    ///
    /// Players assume that a chapter lasts until the next chapter starts, so a chapter is added for the part
    /// before the first user-defined chapter.
    ///
    /// - Parameter end: End of the movie, relative to its time 0.
    /// - Returns: The chapters; empty if no chapters were defined.
    func chapters(until end: MediaTime) -> [Chapter] {
        var ordered: [Chapter] = []
        for chapter in chapters.sorted(by: { $0.start < $1.start }) where chapter.start < end {
            let chapter = Chapter(
                start: max(chapter.start, .zero), title: chapter.title.truncated(toBytes: Self.longestTitle))
            if ordered.last?.start == chapter.start { ordered.removeLast() }
            ordered.append(chapter)
        }
        if let first = ordered.first, first.start > .zero {
            ordered.insert(Chapter(start: .zero, title: Self.initialChapterTitle), at: 0)
        }
        return ordered
    }
}

extension String {
    /// Returns the longest prefix of the string that has at most `limit` bytes in UTF-8 and doesn't split a
    /// character.
    fileprivate func truncated(toBytes limit: Int) -> String {
        var text = self
        while text.utf8.count > limit { text.removeLast() }
        return text
    }
}

/// Writes a movie's metadata to a `udta` box. Title, date, and cover image are stored in iTunes format.
/// Nero's chapter list (`chpl`) is added for players that don't support QuickTime chapter tracks.
struct UserDataBox {
    let metadata: MovieMetadata
    /// Chapters as returned by `MovieMetadata.chapters(until:)`.
    let chapters: [MovieMetadata.Chapter]

    /// Types of metadata values (the "well-known types" of iTunes metadata).
    private enum Kind: UInt32 {
        case text = 1
        case jpeg = 13
    }

    func write(into buffer: inout BoxBuffer) {
        let fields: [(String, Kind, [UInt8])] = [
            ("©nam", .text, metadata.title.map { Array($0.utf8) }),
            ("©day", .text, metadata.date.map { Array($0.utf8) }),
            ("covr", .jpeg, metadata.cover.map { Array($0.bytes) }),
        ].compactMap { name, kind, value in value.map { (name, kind, $0) } }
        guard !fields.isEmpty || !chapters.isEmpty else { return }
        buffer.box("udta") { user in
            if !chapters.isEmpty { writeChapters(into: &user) }
            guard !fields.isEmpty else { return }
            user.fullBox("meta") { meta in
                meta.fullBox("hdlr") { handler in
                    handler.put32(0)
                    handler.put(code: "mdir")
                    handler.put(code: "appl")
                    handler.putZeros(9)
                }
                meta.box("ilst") { list in
                    for (name, kind, value) in fields {
                        list.box(name) { item in
                            item.box("data") { data in
                                data.put32(kind.rawValue)
                                data.put32(0)  // the text is valid for any language
                                data.put(value)
                            }
                        }
                    }
                }
            }
        }
    }

    private func writeChapters(into buffer: inout BoxBuffer) {
        buffer.fullBox("chpl", version: 1) { box in
            box.put32(0)
            let listed = chapters.prefix(MovieMetadata.longestList)
            box.put8(UInt8(clamping: listed.count))
            for chapter in listed {
                box.put64(UInt64(max(0, chapter.start.nanoseconds / 100)))  // in units of 100 ns
                box.put8(UInt8(clamping: chapter.title.utf8.count))
                box.put(chapter.title.utf8)
            }
        }
    }
}

/// Chapters of a movie in QuickTime format: a text track to which the other tracks refer (QuickTime File
/// Format, chapter lists). The text track isn't enabled, so players without support for chapter tracks ignore
/// it.
struct ChapterTrack {
    /// Number of the track in the file, starting at 1.
    let number: UInt32
    /// The text sample of each chapter. The samples are stored contiguously in the file, starting at
    /// `offset`.
    let samples: [[UInt8]]
    /// File offset of the first sample, in bytes.
    let offset: Int64
    private let kind: MovieKind
    private let createdAt: Int64
    /// Start times of all chapters, followed by the end time of the last chapter, in ticks.
    private let times: [Int64]
    private let movieTimeScale: Int64

    /// Ticks per second of the chapter track. At this time scale, chapter times are accurate to 0.1 ms, and a
    /// chapter may last for days.
    private static let timeScale: Int64 = 10_000
    /// Handler type and sample entry type of the track.
    static let handler = "text"

    /// Creates the chapter track of a movie.
    ///
    /// - Parameters:
    ///   - chapters: Chapters in the order of `MovieMetadata.chapters(until:)`; at least one.
    ///   - end: End of the movie, relative to its time 0.
    ///   - number: Number of the track in the file, starting at 1.
    ///   - offset: File offset of the first sample, in bytes.
    ///   - movie: The movie index to which the track is added.
    init(
        _ chapters: [MovieMetadata.Chapter], end: MediaTime, number: UInt32, offset: Int64, of movie: MovieBox
    ) {
        self.number = number
        self.offset = offset
        kind = movie.kind
        createdAt = movie.createdAt
        movieTimeScale = movie.movieTimeScale
        times = (chapters.map(\.start) + [end]).map { $0.ticks(perSecond: Self.timeScale) }
        samples = chapters.map { chapter in
            var sample = BoxBuffer()
            sample.put16(UInt16(clamping: chapter.title.utf8.count))
            sample.put(chapter.title.utf8)
            sample.box("encd") { $0.put32(0x100) }  // UTF-8
            return sample.bytes
        }
    }

    private var duration: Int64 { times.last ?? 0 }

    func write(into buffer: inout BoxBuffer) {
        let length = duration.rescaled(from: Self.timeScale, to: movieTimeScale)
        let version: UInt8 = max(duration, length) > UInt32.max || createdAt > UInt32.max ? 1 : 0
        func putDates(_ box: inout BoxBuffer) {
            box.put(createdAt, version: version)
            box.put(createdAt, version: version)
        }
        buffer.box("trak") { track in
            // Flags 2: the track is used in the movie but isn't enabled.
            track.fullBox("tkhd", version: version, flags: 2) { box in
                putDates(&box)
                box.put32(number)
                box.put32(0)
                box.put(length, version: version)
                box.putZeros(16)
                DisplayMatrix.write(.none, size: FrameSize(width: 0, height: 0), into: &box)
                box.putZeros(8)
            }
            track.box("mdia") { media in
                media.fullBox("mdhd", version: version) { box in
                    putDates(&box)
                    box.put32(UInt32(Self.timeScale))
                    box.put(duration, version: version)
                    box.put16(kind == .mp4 ? 0x55C4 : 0x7FFF)  // language `und`, or QuickTime's equivalent
                    box.put16(0)
                }
                MovieBox.writeHandler(
                    Self.handler, component: "mhlr", name: "chapters", as: kind, into: &media)
                media.box("minf") { writeMediaInformation(into: &$0) }
            }
        }
    }

    private func writeMediaInformation(into buffer: inout BoxBuffer) {
        buffer.box("gmhd") { box in
            box.fullBox("gmin") { general in
                general.put16(0x40)  // graphics mode: copy
                for _ in 0..<3 { general.put16(0x8000) }
                general.putZeros(4)
            }
            box.box(Self.handler) {
                DisplayMatrix.write(.none, size: FrameSize(width: 0, height: 0), into: &$0)
            }
        }
        MovieBox.writeDataReference(as: kind, into: &buffer)
        buffer.box("stbl") { table in
            table.fullBox("stsd") { box in
                box.put32(1)
                box.box(Self.handler) { entry in
                    entry.putZeros(6)
                    entry.put16(1)  // the data is in this file
                    entry.put32(1)  // autoscaled
                    entry.putZeros(40)  // never drawn: left-aligned, black, in the system's font
                }
            }
            table.fullBox("stts") { box in
                box.put32(UInt32(samples.count))
                for (start, end) in zip(times, times.dropFirst()) {
                    box.put32(1)
                    box.put32(UInt32(clamping: end - start))
                }
            }
            table.fullBox("stsc") { box in
                for number: UInt32 in [1, 1, UInt32(samples.count), 1] { box.put32(number) }
            }
            table.fullBox("stsz") { box in
                box.put32(0)  // 0, because the sizes differ
                box.put32(UInt32(samples.count))
                for sample in samples { box.put32(UInt32(sample.count)) }
            }
            table.fullBox("co64") { box in
                box.put32(1)
                box.put64(UInt64(offset))
            }
        }
    }
}

extension BoxReader {
    /// Whether this reader's box is the `trak` box of a chapter track.
    var isChapterTrack: Bool {
        guard var handler = content("mdia", "hdlr"), handler.skip(8) != nil else { return false }
        return handler.readCode() == ChapterTrack.handler
    }
}
