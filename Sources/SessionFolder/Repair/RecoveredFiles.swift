internal import Media

/// The media files of a recording after they were made whole, and what they mean for its tracks.
struct RecoveredFiles {
    /// The readable files of each track, by the name of the track's first file.
    let files: [String: [RemainingFile]]
    /// Frames, or samples per channel, that each stream of a file holds now, by the file's name.
    let counts: [String: [Int64]]
    /// Frames that repeat the one before in each stream of a file, by the file's name.
    let repeats: [String: [Int]]

    /// The content of a track after the recovery.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - ending: What the recovery did to the end of the track.
    /// - Returns: The content, for the manifest.
    func content(of track: Manifest.Track, ending: Manifest.RecoveredTrack) -> RecoveredContent {
        let files = files[track.file] ?? []
        guard let last = files.last, last.streams.indices.contains(track.stream) else {
            return RecoveredContent(
                written: 0, repeated: 0, holes: [], ending: ending, parts: [], isThere: false)
        }
        let written = files.reduce(0) { $0 + (value(counts[$1.name], at: track.stream) ?? 0) }
        let before = files.reduce(0) { $0 + (value($1.counts, at: track.stream) ?? 0) }
        let repeated = files.reduce(0) { $0 + (value(repeats[$1.name], at: track.stream) ?? 0) }
        return RecoveredContent(
            written: written, repeated: Int64(repeated) + max(0, written - before),
            holes: holes(in: track, of: files), ending: ending,
            parts: files.dropFirst().map { RecoveredContent.Part(file: $0.name, start: $0.start) },
            isThere: true)
    }

    /// Stretches of the track's grid without frames, since T0. A copied stream has none, since its frames are on no grid; nor
    /// has a file whose frame durations tell of another grid than the manifest.
    private func holes(in track: Manifest.Track, of files: [RemainingFile]) -> [Range<MediaTime>] {
        guard track.grid != false, let rate = track.rate.flatMap({ FrameRate($0) }) else { return [] }
        return files.filter { value($0.streams, at: track.stream)?.rate == rate }.flatMap {
            $0.holes(inStream: track.stream)
        }
    }

    private func value<Value>(_ values: [Value]?, at index: Int) -> Value? {
        guard let values, values.indices.contains(index) else { return nil }
        return values[index]
    }
}
