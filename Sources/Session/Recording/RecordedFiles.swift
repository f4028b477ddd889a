internal import Containers
internal import Glibc
internal import Media
internal import SessionFolder
internal import Writers

/// What one folder holds of a recording when its files are closed.
struct RecordedFiles {
    /// By their paths in the folder.
    let movies: [String: MovieFileWriter.Result]
    /// By the names of microphones' tracks.
    let waves: [String: WaveFileWriter.Result]
    /// Why the files end before the recording; `nil` where they do not.
    let conclusion: FileError?
    private let folder: String

    /// - Parameters:
    ///   - closed: What the folder's disk has.
    ///   - conclusion: Why its files end before the recording.
    init(_ closed: DiskClosings.Closed, conclusion: FileError?) {
        movies = closed.movies
        waves = closed.waves
        self.conclusion = conclusion
        folder = closed.disk.folder.path
    }

    /// While it is recorded: the files of a disk, of which nothing is known yet.
    init(beginning outputs: SessionOutputs, on disk: RecordingDisk) {
        let movies = outputs.writers.compactMap { path, writer in
            writer.file(disk.index).map { _ in
                (
                    path,
                    MovieFileWriter.Result(
                        packetCounts: Array(repeating: 0, count: writer.streamCount),
                        shed: Array(repeating: [], count: writer.streamCount))
                )
            }
        }
        let waves = outputs.microphoneTracks.compactMap { track in
            track.file?.file(disk.index).map { _ in (track.name, WaveFileWriter.Result()) }
        }
        self.movies = Dictionary(uniqueKeysWithValues: movies)
        self.waves = Dictionary(uniqueKeysWithValues: waves)
        conclusion = nil
        folder = disk.folder.path
    }

    /// What failed, each file once.
    var failures: [FileError] {
        let failed = movies.keys.sorted().compactMap { movies[$0]?.failure }
        let parts =
            movies.keys.sorted().compactMap { movies[$0]?.splitFailure }
            + waves.keys.sorted().compactMap { waves[$0]?.splitFailure }
        return failed + parts + waves.keys.sorted().compactMap { waves[$0]?.failure }
            + [conclusion].compactMap(\.self) + faults
    }

    /// Of finished files that are not as written.
    private var faults: [FileError] {
        closed.compactMap { file in
            file.fault.map {
                FileError(path: "\(folder)/\(file.relativePath)", operation: "verify", detail: $0)
            }
        }
    }

    private var closed: [ClosedFile] {
        movies.keys.sorted().flatMap { movies[$0]?.closed ?? [] }
            + waves.keys.sorted().flatMap { waves[$0]?.closed ?? [] }
    }

    /// Every file, for the manifest, by their paths; `waveFiles` names the first of each microphone's track.
    func listed(waveFiles: [String: String]) -> [Manifest.File] {
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
                fault: failure?.description ?? "it was not finished.")
        }
        return (verified + rest).sorted { $0.file < $1.file }
    }

    /// Of a file that was not finished; 0 where it is not there.
    private func size(_ path: String) -> Int64 {
        var status = stat()
        return stat("\(folder)/\(path)", &status) == 0 ? Int64(status.st_size) : 0
    }

    /// What the disk was too slow for, of one stream.
    func shed(_ place: (file: String, stream: Int)) -> [MovieFileWriter.Shed] {
        movies[place.file]?.shed[place.stream] ?? []
    }
}
