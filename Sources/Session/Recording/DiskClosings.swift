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

    private enum News: Sendable {
        case file
        case disk(Closed)
    }

    private let news: BoundedQueue<News>
    /// How many files there are, of all disks.
    let fileCount: Int

    /// Starts a thread for each disk, which closes that disk's files. No more packets may be queued for the files.
    ///
    /// - Parameter outputs: The recording's files, encoders and tracks.
    init(_ outputs: SessionOutputs) {
        let all = outputs.disks.map { disk in
            (
                disk: disk, movies: outputs.movies(onDisk: disk.index),
                waves: outputs.microphoneTracks.compactMap { track in
                    track.file?.file(disk.index).map { (name: track.name, file: $0) }
                },
                metadata: outputs.metadata.compactMap { $0.file(onDisk: disk.index) }
            )
        }
        fileCount = all.reduce(0) { $0 + $1.movies.count + $1.waves.count + $1.metadata.count }
        let news = BoundedQueue<News>(capacity: max(1, fileCount + outputs.disks.count))
        self.news = news
        for (disk, movies, waves, metadata) in all {
            _ = MediaThread(name: "close:\(disk.index)") {
                func closed<Result>(_ result: Result) -> Result {
                    news.put(.file)
                    return result
                }
                for file in metadata { closed(file.join()) }
                news.put(
                    .disk(
                        Closed(
                            disk: disk,
                            movies: Dictionary(
                                uniqueKeysWithValues: movies.map { ($0.path, closed($0.file.join())) }),
                            waves: Dictionary(
                                uniqueKeysWithValues: waves.map { ($0.name, closed($0.file.join())) }))))
            }
        }
    }

    /// Waits until the files of another disk are closed. To be called once for each disk.
    ///
    /// - Parameter fileClosed: Called for each file that is closed meanwhile, of any disk.
    /// - Returns: The closed files of the disk that is done next.
    func next(_ fileClosed: () -> Void) -> Closed {
        while let next = news.next() {
            switch next {
            case .file: fileClosed()
            case .disk(let closed): return closed
            }
        }
        preconditionFailure("each disk's files are closed once")
    }
}
