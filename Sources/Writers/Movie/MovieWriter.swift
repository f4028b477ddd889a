package import Containers
package import FoundationEssentials
package import Media

/// Writes one movie of a recording to a file on each disk. Callable from any thread.
package typealias MovieWriter = FilesOnDisks<SegmentedMovie>

extension MovieWriter {
    /// Creates the movie's files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: The disks to write to, at least one.
    ///   - relativePath: Path of the first file relative to the session folder.
    ///   - streams: Description of each stream of packets.
    ///   - startedAt: The approximate date of T0; `begin` sets the exact one.
    /// - Throws: `FileError` when the file in the recording's own folder cannot be created; an error of the safety copy ends the
    ///   copy's file alone.
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

    /// Sets the exact date of T0 and the start of the file. To be called before the first packet.
    ///
    /// - Parameters:
    ///   - startedAt: The date of T0.
    ///   - start: Start of the file, since T0.
    package func begin(startedAt: Date, from start: MediaTime = .zero) {
        each { $0.order(.begin(startedAt, from: start)) }
    }

    /// Queues a packet on each disk, or drops it where the queue has no room.
    ///
    /// - Parameters:
    ///   - packet: The packet; its times are ticks of the stream's time scale since T0.
    ///   - stream: Index of its stream in the file, from 0.
    func append(_ packet: EncodedPacket, stream: Int) {
        each { $0.append(packet, stream: stream) }
    }

    /// Ends a stream: no packet of it follows.
    func finishStream(_ stream: Int) {
        each { $0.order(.finishStream(stream)) }
    }

    /// Notes that a stream has no packet at the split that was requested last, so that the split does not wait for it.
    func pass(_ stream: Int) {
        each { $0.order(.pass(stream)) }
    }

    /// Continues in a new file on each disk whose file has neither failed nor ended.
    ///
    /// - Parameter part: Path and start of the new file.
    package func split(_ part: Part) {
        each { if $0.isOpen { $0.split(part) } }
    }

    /// Sets what the movie's files say of themselves when they are finished; the last notes hold.
    ///
    /// - Parameter notes: The notes; times count from T0.
    package func note(_ notes: MovieNotes) { each { $0.order(.notes(notes)) } }

    /// Sets the JPEG that stands for the movie in its files that are not finished.
    package func setCover(_ cover: SharedBytes) { each { $0.order(.cover(cover)) } }

    /// Ends the movie on one disk: packets whose presentation time is at or after a time are discarded there.
    ///
    /// - Parameters:
    ///   - index: Index of the disk: 0 for the recording's own, 1 for the safety copy's.
    ///   - time: A time since T0 that no stream has reached yet.
    package func conclude(onDisk index: Int, at time: MediaTime) { file(index)?.conclude(at: time) }
}
