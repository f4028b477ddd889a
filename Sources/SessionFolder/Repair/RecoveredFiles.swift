internal import Media

/// A recording's files after they were made whole, and what that means for its tracks.
struct RecoveredFiles {
    /// All that could be read, by the name of the first of each.
    let files: [String: [RemainingFile]]
    /// Of each file's streams, what there is now.
    let counts: [String: [Int64]]
    /// Of each file's streams, frames that were the one before again.
    let repeats: [String: [Int]]

    /// What there is of a track now.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - ending: What became of its end.
    /// - Returns: For the manifest.
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

    /// Where frames are missing from the track's grid. A copied stream's are on none; and where durations tell of another grid
    /// than the manifest, nothing can be told.
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
