package import Containers
package import Foundation
package import Media

/// One movie of a recording, with a file on each disk. Any thread.
package typealias MovieWriter = FilesOnDisks<SegmentedMovie>

extension MovieWriter {
    /// Makes the files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: That it is written to: at least one.
    ///   - relativePath: From the session folder.
    ///   - streams: What packets come for.
    ///   - startedAt: The date of T0, or about that: see `begin`.
    /// - Throws: When a file cannot be made; those of a safety copy fail by themselves.
    package convenience init(
        _ disks: [RecordingDisk], relativePath: String, streams: [MovieTrack], startedAt: Date
    ) throws(FileError) {
        try self.init(disks, relativePath: relativePath, streamCount: streams.count) {
            (disk) throws(FileError) in
            let finishing = PartFinishing(of: relativePath)
            return try FileWriter(
                disk,
                SegmentedMovie(
                    disk, relativePath: relativePath, streams: streams, startedAt: startedAt,
                    finishing: finishing),
                streamCount: streams.count, intake: SegmentedMovie.Intake(streams), finishing: finishing)
        }
    }

    /// Tells the date of T0, once it is known, and when the file begins. Before the first packet.
    package func begin(startedAt: Date, from start: MediaTime = .zero) {
        each { $0.order(.begin(startedAt, from: start)) }
    }

    func append(_ packet: EncodedPacket, stream: Int) {
        each { $0.append(packet, stream: stream) }
    }

    func finishStream(_ stream: Int) {
        each { $0.order(.finishStream(stream)) }
    }

    /// A stream has nothing to send at the split that was asked for last: it is not waited for there.
    func pass(_ stream: Int) {
        each { $0.order(.pass(stream)) }
    }

    /// Goes on in new files, where these have not failed or ended.
    package func split(_ part: Part) {
        each { if $0.isOpen { $0.split(part) } }
    }

    /// Takes nothing more on one disk that is shown from a time on, which no stream has come to.
    package func conclude(onDisk index: Int, at time: MediaTime) { file(index)?.conclude(at: time) }
}
