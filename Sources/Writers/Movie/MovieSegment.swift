internal import Containers
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// One file of a movie that may be split into several. It shifts packet times so that they count from its own start.
///
/// Used by one thread at a time.
final class MovieSegment {
    /// The movie file on disk.
    let file: MovieFile
    private let relativePath: String
    /// Start of the file, since T0.
    private(set) var start: MediaTime
    private let streams: [MovieTrack]
    /// End of the last packet of each stream, in ticks of the stream's time scale in the file, from the file's start.
    private var reach: [Int64]

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - folder: The session folder.
    ///   - relativePath: Path of the file relative to the session folder. A MOV file gets a time code track after the others.
    ///   - streams: Description of each stream of packets.
    ///   - timecode: Time code of T0, or `nil` for a file without one.
    ///   - createdAt: The date of `start`.
    ///   - start: Start of the file, since T0.
    ///   - disk: Hooks into the writing of the file.
    /// - Throws: `FileError` when the file cannot be created.
    init(
        in folder: SessionFolder, relativePath: String, streams: [MovieTrack], timecode: Timecode?,
        createdAt: Date, start: MediaTime, disk: DiskConduct
    ) throws(FileError) {
        self.relativePath = relativePath
        let path = try folder.file(relativePath)
        self.streams = streams
        self.start = start
        reach = Array(repeating: 0, count: streams.count)
        let kind = MovieKind(path: path)
        var tracks = streams.map(\.inFile)
        if kind == .mov, let timecode {
            let elapsed = timecode.rate.ticks(before: start)
            tracks.append(.timecode(timecode.advanced(by: elapsed), name: "time of day"))
        }
        file = try MovieFile(path: path, kind: kind, tracks: tracks, createdAt: createdAt, disk: disk)
    }

    /// Start of this file since T0, in ticks of a stream's own time scale. Frames on a grid begin at the first tick at or after
    /// the split.
    func origin(ofStream index: Int) -> Int64 { streams[index].ticks(at: start) }

    /// Writes a packet.
    ///
    /// - Parameters:
    ///   - packet: The packet; its times are ticks of the stream's own time scale since T0.
    ///   - stream: Index of its stream in the file, from 0.
    /// - Throws: `FileError` when the file cannot be written.
    func append(_ packet: EncodedPacket, stream: Int) throws(FileError) {
        let origin = origin(ofStream: stream)
        let factor = streams[stream].ticksInFile
        reach[stream] = max(reach[stream], (packet.presentation + packet.duration - origin) * factor)
        guard origin != 0 || factor > 1 else {
            try file.append(packet, to: stream)
            return
        }
        let shifted = EncodedPacket(
            bytes: packet.bytes, presentation: (packet.presentation - origin) * factor,
            decode: (packet.decode - origin) * factor, duration: packet.duration * factor,
            isKey: packet.isKey)
        try file.append(shifted, to: stream)
    }

    /// Sets the start of the file. To be called before the first packet.
    ///
    /// - Parameters:
    ///   - start: Start of the file, since T0.
    ///   - timecode: Time code of T0; a file that is no MOV ignores it.
    ///   - createdAt: The date of T0.
    func begin(at start: MediaTime, timecode: Timecode?, createdAt: Date) {
        self.start = start
        file.begin(
            createdAt: createdAt.addingTimeInterval(Nanoseconds(start.nanoseconds).inSeconds),
            timecode: file.kind == .mov
                ? timecode.map { $0.advanced(by: $0.rate.ticks(before: start)) } : nil)
    }

    /// Takes what the file will say of itself when it is finished.
    ///
    /// - Parameter notes: The notes of the whole movie; times count from T0. A chapter that began before the file is its first.
    func note(_ notes: MovieNotes) {
        var own = notes
        own.chapters = notes.chapters.map { chapter in
            let time = chapter.start.nanoseconds - start.nanoseconds
            return MovieNotes.Chapter(start: MediaTime(nanoseconds: time), title: chapter.title)
        }
        file.notes = own
    }

    /// Writes all pending packets of the movie's last file to the disk, so that a crash before `close` loses nothing.
    ///
    /// - Parameter end: End of every stream since T0; `nil` for the end of each stream's last packet.
    /// - Throws: `FileError` when the file cannot be written.
    func writeRest(until end: MediaTime?) throws(FileError) {
        try file.writeRest(ends: ends(at: end, isContinued: false))
    }

    /// Finishes the file so that every stream ends at `end`, and verifies it.
    ///
    /// - Parameters:
    ///   - end: End of every stream since T0; `nil` for the end of each stream's last packet.
    ///   - isContinued: Whether another file follows. A stream of frames whose next file only begins with a later key frame
    ///     then keeps its frames up to that key frame in this file, past `end`.
    /// - Returns: The outcome of finishing the file.
    func close(at end: MediaTime?, isContinued: Bool) -> PartFinishing.Outcome {
        var outcome = PartFinishing.Outcome(sampleCounts: [])
        do throws(FileError) {
            outcome.closed = try finish(at: end, isContinued: isContinued)
        } catch {
            outcome.failure = error
        }
        outcome.sampleCounts = sampleCounts
        return outcome
    }

    /// Number of packets of each stream that are in the file now.
    var sampleCounts: [Int] { streams.indices.map { file.writtenSampleCount(ofTrack: $0) } }

    private func finish(at end: MediaTime?, isContinued: Bool) throws(FileError) -> ClosedFile {
        let summary = try file.finish(ends: ends(at: end, isContinued: isContinued))
        return ClosedFile(
            relativePath: relativePath, byteCount: summary.byteCount, checksum: summary.checksum,
            fault: FileVerification.fault(ofMovie: file.path, holding: summary))
    }

    /// Returns the end of each stream in ticks of its time scale in the file, from the file's start; `nil` for its last packet's.
    private func ends(at end: MediaTime?, isContinued: Bool) -> [Int64?] {
        streams.indices.map { index in
            guard let end else { return nil }
            let stream = streams[index]
            let ticks = stream.endTicks(at: end) - origin(ofStream: index) * stream.ticksInFile
            return isContinued && !streams[index].isAudio ? max(ticks, reach[index]) : ticks
        }
    }
}
