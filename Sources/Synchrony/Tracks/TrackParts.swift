internal import Encoding
internal import Media

/// The files of one track, one after the other on the recording's timeline.
struct TrackParts {
    /// A file of a track.
    struct Part {
        let path: String
        /// Time 0 of the file, since T0: by the manifest, or where the file before it ends.
        let start: Nanoseconds
        let duration: Nanoseconds
    }

    let parts: [Part]
    private let track: CheckedTrack

    /// Opens each file of a track to find its length.
    ///
    /// - Throws: `EncodingError` when a file cannot be read.
    init(_ track: CheckedTrack) throws(EncodingError) {
        self.track = track
        var parts: [Part] = []
        var start = track.start
        for (index, path) in track.files.enumerated() {
            let told = index > 0 && index <= track.laterStarts.count ? track.laterStarts[index - 1] : nil
            // A start before that of the preceding part is impossible, and is ignored.
            if let told, let before = parts.last, told > before.start { start = told }
            let duration = try Self.reader(of: path, track).duration ?? .zero
            parts.append(Part(path: path, start: start, duration: duration))
            start = start + duration
        }
        self.parts = parts
    }

    /// End of the last file, since T0.
    var duration: Nanoseconds { parts.last.map { $0.start + $0.duration } ?? .zero }

    /// The files that overlap a window, each with a reader at the window's begin.
    func readers(in window: TrackWindow) throws(EncodingError) -> [(part: Part, reader: TrackReader)] {
        var readers: [(part: Part, reader: TrackReader)] = []
        for part in parts {
            let isOver =
                (part.start + part.duration).count <= window.begin.nanoseconds
                && part.path != parts.last?.path
            guard !isOver, part.start.count < window.end.nanoseconds else { continue }
            let reader = try Self.reader(of: part.path, track)
            let within = MediaTime(nanoseconds: max(0, window.begin.nanoseconds - part.start.count))
            if within > .zero { try reader.seek(to: within) }
            readers.append((part, reader))
        }
        return readers
    }

    private static func reader(of path: String, _ track: CheckedTrack) throws(EncodingError) -> TrackReader {
        try TrackReader(path: path, stream: track.stream, media: track.kind.isAudio ? .audio : .video)
    }
}
