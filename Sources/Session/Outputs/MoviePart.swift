internal import Containers
internal import Foundation
internal import Media

/// One file of a movie that may be split into several.
final class MoviePart {
    let file: MovieFile
    private let relativePath: String
    let start: MediaTime
    private let streams: [MovieTrack]

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
        let kind = MovieKind(path: path)
        var tracks = streams
        if kind == .mov, let timecode {
            let elapsed = timecode.rate.ticks(before: start)
            tracks.append(.timecode(timecode.advanced(by: elapsed), name: "time of day"))
        }
        file = try MovieFile(path: path, kind: kind, tracks: tracks, createdAt: createdAt, disk: disk)
    }

    /// Where this part begins, in the ticks of a stream. Video begins at the first tick at or after the split.
    func origin(ofStream index: Int) -> Int64 { streams[index].ticks(at: start) }

    /// Writes a packet whose times count from T0.
    func append(_ packet: EncodedPacket, stream: Int) throws(FileError) {
        let origin = origin(ofStream: stream)
        guard origin != 0 else {
            try file.append(packet, to: stream)
            return
        }
        let shifted = EncodedPacket(
            bytes: packet.bytes, presentation: packet.presentation - origin, decode: packet.decode - origin,
            duration: packet.duration, isKey: packet.isKey)
        try file.append(shifted, to: stream)
    }

    /// Finishes the file so that every stream ends at `end`, counted from T0, and reads it again.
    func finish(at end: MediaTime?) throws(FileError) -> ClosedFile {
        let ends: [Int64?] = streams.indices.map { index in
            guard let end else { return nil }
            return streams[index].ticks(at: end) - origin(ofStream: index)
        }
        let summary = try file.finish(ends: ends)
        return ClosedFile(
            relativePath: relativePath, byteCount: summary.byteCount, checksum: summary.checksum,
            fault: FileVerification.fault(ofMovie: file.path, holding: summary))
    }
}
