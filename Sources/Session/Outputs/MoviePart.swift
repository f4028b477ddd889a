internal import Containers
internal import Foundation
internal import Media

/// One file of a movie that may be split into several.
final class MoviePart {
    let file: MovieFile
    let start: MediaTime
    private let streams: [MovieTrack]

    /// Makes the file.
    ///
    /// - Parameters:
    ///   - path: A QuickTime file holds the time of day as a track of its own, behind the others.
    ///   - streams: What packets come for.
    ///   - timecode: That of T0.
    ///   - createdAt: The date of `start`.
    ///   - start: Where it begins, since T0.
    /// - Throws: When the file cannot be made.
    init(path: String, streams: [MovieTrack], timecode: Timecode?, createdAt: Date, start: MediaTime)
        throws(FileError)
    {
        self.streams = streams
        self.start = start
        let kind = MovieKind(path: path)
        var tracks = streams
        if kind == .mov, let timecode {
            let elapsed = timecode.rate.ticks(before: start)
            tracks.append(.timecode(timecode.advanced(by: elapsed), name: "time of day"))
        }
        file = try MovieFile(path: path, kind: kind, tracks: tracks, createdAt: createdAt)
    }

    /// Where this part begins, in the ticks of a stream. Video begins at the first tick at or after the split.
    func origin(ofStream index: Int) -> Int64 {
        let parameters = streams[index].parameters
        if let rate = parameters.rate { return rate.ticks(before: start) * rate.seconds }
        return start.ticks(perSecond: parameters.timeScale)
    }

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

    /// Finishes the file so that every stream ends at `end`, counted from T0.
    func finish(at end: MediaTime?) throws(FileError) {
        let ends: [Int64?] = streams.indices.map { index in
            guard let end else { return nil }
            let parameters = streams[index].parameters
            let origin = origin(ofStream: index)
            if let rate = parameters.rate { return rate.ticks(before: end) * rate.seconds - origin }
            return end.ticks(perSecond: parameters.timeScale) - origin
        }
        try file.finish(ends: ends)
    }
}
