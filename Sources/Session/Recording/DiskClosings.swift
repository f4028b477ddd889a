internal import Media
internal import Writers

/// Waits until a recording's files are closed, disk by disk: a disk that hangs delays no other.
final class DiskClosings: Sendable {
    /// The closed files of one disk.
    struct Closed: Sendable {
        /// The disk that holds the files.
        let disk: RecordingDisk
        /// The movies, by their paths relative to the session folder.
        let movies: [String: FileResult<SegmentedMovie>]
        /// The wave files, by the names of the microphones' tracks.
        let waves: [String: FileResult<SegmentedWave>]
    }

    private let closed: BoundedQueue<Closed>

    /// Starts a thread for each disk, which closes that disk's files. No more packets may be queued for the files.
    ///
    /// - Parameter outputs: The recording's files, encoders and tracks.
    init(_ outputs: SessionOutputs) {
        let closed = BoundedQueue<Closed>(capacity: max(1, outputs.disks.count))
        self.closed = closed
        for disk in outputs.disks {
            let movies = outputs.movies(onDisk: disk.index)
            let waves = outputs.microphoneTracks.compactMap { track in
                track.file?.file(disk.index).map { (name: track.name, file: $0) }
            }
            let metadata = outputs.metadata.compactMap { $0.file(onDisk: disk.index) }
            _ = MediaThread(name: "close:\(disk.index)") {
                for file in metadata { file.join() }
                closed.put(
                    Closed(
                        disk: disk,
                        movies: Dictionary(uniqueKeysWithValues: movies.map { ($0.path, $0.file.join()) }),
                        waves: Dictionary(uniqueKeysWithValues: waves.map { ($0.name, $0.file.join()) })))
            }
        }
    }

    /// Waits until the files of another disk are closed. To be called once for each disk.
    ///
    /// - Returns: The closed files of the disk that is done next.
    func next() -> Closed {
        guard let next = closed.next() else { preconditionFailure("each disk's files are closed once") }
        return next
    }
}
