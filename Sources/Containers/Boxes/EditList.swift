internal import Media

/// The edit list of a track (`elst`, ISO/IEC 14496-12, 8.6.6): which part of its own timeline is shown, and when. It puts T0 at
/// time 0.
struct EditList {
    /// One entry of the list.
    struct Edit {
        /// Length of the edit in ticks of the movie.
        let duration: Int64
        /// Begin of the shown part on the track's own timeline, in its ticks; −1 for a time in which nothing is shown.
        let mediaTime: Int64
    }

    private(set) var edits: [Edit] = []
    private var isGrowing = false

    /// Creates the edit list of a track that is being recorded, whose index holds the first samples and is followed by
    /// fragments.
    ///
    /// - Parameters:
    ///   - track: The track as it is in the index.
    ///   - length: Time from T0 to the end of what is in the file so far, in ticks of the movie.
    init(beginningOf track: RecordedTrack, length: Int64) {
        if track.fragmentShift > 0 { edits = [Edit(duration: length, mediaTime: track.fragmentShift)] }
        isGrowing = true
    }

    /// Creates the edit list of a whole track: samples before T0 are skipped, and a track that begins after T0 is preceded by an
    /// empty edit.
    init(of index: SampleIndex, timeScale: Int64, movieTimeScale: Int64) {
        guard let firstDecode = index.firstDecode, index.end > 0 else { return }
        let start = max(0, index.firstPresentation)
        guard index.end > start else { return }
        let emptyDuration = start.rescaled(from: timeScale, to: movieTimeScale)
        if start > 0 { edits.append(Edit(duration: emptyDuration, mediaTime: -1)) }
        let duration = index.end.rescaled(from: timeScale, to: movieTimeScale) - emptyDuration
        edits.append(Edit(duration: duration, mediaTime: start - firstDecode))
    }

    /// Length of all edits in ticks of the movie.
    var duration: Int64 { edits.reduce(0) { $0 + $1.duration } }

    func write(into buffer: inout BoxBuffer) {
        guard !edits.isEmpty else { return }
        let isLarge = edits.contains { $0.duration > UInt32.max || $0.mediaTime > Int32.max }
        let version: UInt8 = isLarge || isGrowing ? 1 : 0
        buffer.box("edts") { box in
            box.fullBox("elst", version: version) { list in
                list.put32(UInt32(edits.count))
                for edit in edits {
                    list.put(edit.duration, version: version)
                    list.put(edit.mediaTime, version: version)
                    list.putFixed(1)  // speed
                }
            }
        }
    }
}
