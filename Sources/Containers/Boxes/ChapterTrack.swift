import Media

/// The chapters of a movie as QuickTime has them: a track of text that the other tracks refer to (QuickTime File Format,
/// chapter lists). Players that know no such tracks ignore it, since it is not enabled.
struct ChapterTrack {
    /// Number of the track in the file, from 1.
    let number: UInt32
    /// The text of each chapter as it lies in the file, one after the other from `offset` on.
    let samples: [[UInt8]]
    /// Offset of the first sample in the file, in bytes.
    let offset: Int64
    private let kind: MovieKind
    private let createdAt: Int64
    /// Beginnings of the chapters, and the end of the last one, in ticks.
    private let times: [Int64]
    private let movieTimeScale: Int64

    /// Ticks per second: chapters are exact to a tenth of a millisecond, and may last for days.
    private static let timeScale: Int64 = 10_000
    /// Type of the track's handler and samples.
    static let handler = "text"

    /// Makes the track.
    ///
    /// - Parameters:
    ///   - chapters: The chapters, as `MovieNotes.chapters(until:)` orders them; at least one.
    ///   - end: End of the movie, since its time 0.
    ///   - number: Number of the track in the file, from 1.
    ///   - offset: Offset of the first sample in the file, in bytes.
    ///   - movie: The index that gets the track.
    init(_ chapters: [MovieNotes.Chapter], end: MediaTime, number: UInt32, offset: Int64, of movie: MovieBox)
    {
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
            track.fullBox("tkhd", version: version, flags: 2) { box in  // in the movie, not enabled
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
                    box.put16(kind == .mp4 ? 0x55C4 : 0x7FFF)  // `und`; QuickTime's word for the same
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
                general.put16(0x40)  // copy
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
                    entry.put16(1)  // the data are in this file
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
                box.put32(0)  // they differ
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
    /// Whether the content of a `trak` box is that of a track of chapters.
    var isChapterTrack: Bool {
        guard var handler = content("mdia", "hdlr"), handler.skip(8) != nil else { return false }
        return handler.readCode() == ChapterTrack.handler
    }
}
