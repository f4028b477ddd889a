internal import Containers
internal import Foundation
internal import Media
internal import SessionFolder

/// One file of a movie that may be split into several: takes packets' times from its own beginning on. One thread at a time.
final class MovieSegment {
    let file: MovieFile
    private let relativePath: String
    private(set) var start: MediaTime
    private let streams: [MovieTrack]
    /// Of each stream, where its frames end in the file, in ticks of the file.
    private var reach: [Int64]

    /// Makes the file.
    ///
    /// - Parameters:
    ///   - folder: Where it is made.
    ///   - relativePath: From there. A QuickTime file holds the time of day as a track of its own, behind the others.
    ///   - streams: What packets come for.
    ///   - timecode: That of T0.
    ///   - createdAt: The date of `start`.
    ///   - start: Where it begins, since T0.
    ///   - disk: What its disk does besides.
    /// - Throws: When the file cannot be made.
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

    /// Where this file begins, in the ticks of a stream. Video begins at the first tick at or after the split.
    func origin(ofStream index: Int) -> Int64 { streams[index].ticks(at: start) }

    /// Writes a packet whose times count from T0.
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

    /// Takes where it begins, before the first packet.
    ///
    /// - Parameters:
    ///   - start: Since T0.
    ///   - timecode: That of T0.
    ///   - createdAt: The date of T0.
    func begin(at start: MediaTime, timecode: Timecode?, createdAt: Date) {
        self.start = start
        file.begin(
            createdAt: createdAt.addingTimeInterval(Nanoseconds(start.nanoseconds).inSeconds),
            timecode: file.kind == .mov
                ? timecode.map { $0.advanced(by: $0.rate.ticks(before: start)) } : nil)
    }

    /// Writes what is left, so that nothing is lost from here on.
    ///
    /// - Parameter end: As of `close`, of the last file.
    /// - Throws: When the file cannot be written.
    func writeRest(until end: MediaTime?) throws(FileError) {
        try file.writeRest(ends: ends(at: end, isContinued: false))
    }

    /// Finishes the file so that every stream ends at `end`, counted from T0, and reads it again.
    ///
    /// - Parameters:
    ///   - end: `nil` for the end of each stream's last packet.
    ///   - isContinued: Whether another file follows. Frames of a stream that only goes on there with its next key frame are
    ///     in this file up to that, and shown here.
    /// - Returns: What became of it.
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

    /// Of each stream, what is in the file by now.
    var sampleCounts: [Int] { streams.indices.map { file.writtenSampleCount(ofTrack: $0) } }

    private func finish(at end: MediaTime?, isContinued: Bool) throws(FileError) -> ClosedFile {
        let summary = try file.finish(ends: ends(at: end, isContinued: isContinued))
        return ClosedFile(
            relativePath: relativePath, byteCount: summary.byteCount, checksum: summary.checksum,
            fault: FileVerification.fault(ofMovie: file.path, holding: summary))
    }

    /// Of each stream, in ticks of the file.
    private func ends(at end: MediaTime?, isContinued: Bool) -> [Int64?] {
        streams.indices.map { index in
            guard let end else { return nil }
            let stream = streams[index]
            let ticks = stream.endTicks(at: end) - origin(ofStream: index) * stream.ticksInFile
            return isContinued && !streams[index].isAudio ? max(ticks, reach[index]) : ticks
        }
    }
}
