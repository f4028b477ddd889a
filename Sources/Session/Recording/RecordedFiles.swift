internal import Glibc
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem
internal import MulticamWriters

/// The files of a recording in one session folder: closed files with counts, or files of a running recording without
/// counts.
struct RecordedFiles {
    /// The movies, by their paths relative to the session folder.
    let movies: [String: FileResult<SegmentedMovie>]
    /// The WAVE files, by the names of the microphones' tracks.
    let waves: [String: FileResult<SegmentedWave>]
    /// The reason why the files end before the recording does, or `nil` if they last until the end of the
    /// recording.
    let conclusion: FileError?
    private let folder: SessionFolder

    /// Describes the closed files of a disk.
    ///
    /// - Parameters:
    ///   - closed: The closed files of the disk.
    ///   - conclusion: The reason why the files end before the recording does, or `nil` if they last until
    ///     the end of the recording.
    init(_ closed: DiskClosings.Closed, conclusion: FileError?) {
        movies = closed.movies
        waves = closed.waves
        self.conclusion = conclusion
        folder = closed.disk.folder
    }

    /// Describes the files of a disk while the recording is running, without counts.
    ///
    /// - Parameters:
    ///   - outputs: The recording's files, encoders and tracks.
    ///   - disk: The disk that holds the files.
    init(beginning outputs: SessionOutputs, on disk: RecordingDisk) {
        let movies = outputs.writers.compactMap { path, writer in
            writer.writer(onDisk: disk.index).map { _ in
                (path, FileResult<SegmentedMovie>(streamCount: writer.streamCount))
            }
        }
        let waves = outputs.microphoneTracks.compactMap { track in
            track.file?.writer(onDisk: disk.index).map { _ in
                (track.name, FileResult<SegmentedWave>(streamCount: 1))
            }
        }
        self.movies = Dictionary(uniqueKeysWithValues: movies)
        self.waves = Dictionary(uniqueKeysWithValues: waves)
        conclusion = nil
        folder = disk.folder
    }

    /// The failures of all files: failed writes, failed splits, a full disk, and failed verification.
    var failures: [FileError] {
        let failed = movies.keys.sorted().compactMap { movies[$0]?.failure }
        let parts =
            movies.keys.sorted().compactMap { movies[$0]?.splitFailure }
            + waves.keys.sorted().compactMap { waves[$0]?.splitFailure }
        return failed + parts + waves.keys.sorted().compactMap { waves[$0]?.failure }
            + [conclusion].compactMap(\.self) + faults
    }

    /// The faults found by verifying finished files.
    private var faults: [FileError] {
        closed.compactMap { file in
            file.fault.map {
                FileError(
                    path: "\(folder.path)/\(file.relativePath)", operation: "verifying the file", detail: $0)
            }
        }
    }

    private var closed: [ClosedFile] {
        movies.keys.sorted().flatMap { movies[$0]?.closed ?? [] }
            + waves.keys.sorted().flatMap { waves[$0]?.closed ?? [] }
    }

    /// Lists every file for the manifest, sorted by path.
    ///
    /// - Parameter waveFiles: Path of the first WAVE file of each microphone's track, by the track's name.
    /// - Returns: The list of files. Unfinished files are listed with a fault.
    func entries(waveFiles: [String: String]) -> [Manifest.File] {
        let verified = closed.map { file in
            Manifest.File(
                file: file.relativePath, bytes: file.byteCount, xxh3_128: file.checksum?.value,
                hashed_from: file.checksum?.start, verified: file.fault == nil, fault: file.fault)
        }
        var unfinished: [(path: String, failure: FileError?)] = []
        for (path, movie) in movies {
            unfinished += ([path] + movie.parts.map(\.relativePath)).map {
                ($0, movie.failure ?? movie.splitFailure)
            }
        }
        for (name, wave) in waves {
            unfinished += ([waveFiles[name] ?? name] + wave.parts.map(\.relativePath)).map {
                ($0, wave.failure ?? wave.splitFailure)
            }
        }
        let known = Set(verified.map(\.file))
        let rest = unfinished.filter { !known.contains($0.path) }.map { path, failure in
            Manifest.File(
                file: path, bytes: size(path), verified: false,
                fault: failure?.description ?? "the file was not finished.")
        }
        return (verified + rest).sorted { $0.file < $1.file }
    }

    /// Returns the size of an unfinished file in bytes, or 0 if the file doesn't exist.
    private func size(_ path: String) -> Int64 { folder.place(of: path).byteCount ?? 0 }

    /// Returns the ranges of one movie stream that were dropped because the disk was too slow.
    ///
    /// - Parameter place: The movie's path, and the index of the stream in the movie.
    /// - Returns: The ranges, in order.
    func shed(_ place: (file: String, stream: Int)) -> [SegmentedMovie.Shed] {
        movies[place.file]?.shed[place.stream] ?? []
    }
}
