internal import Media

/// The result of a recovery.
public struct RecoveryReport: Sendable, Equatable, Encodable {
    /// State of the recording after the recovery.
    public enum Outcome: String, Sendable, Encodable {
        /// The recording was made whole.
        case recovered
        /// The recording was whole already.
        case whole
        /// A file that had content cannot be read or is missing, and the others are whole now. The remarks name it.
        case incomplete
    }

    /// State of one track after the recovery.
    public struct Track: Sendable, Equatable, Encodable {
        /// Name of the track.
        public var name: String
        /// First file of the track, relative to the session folder, or the path of the one file that was recovered.
        public var file: String
        /// Frames in the track's files; `nil` for audio.
        public var frames: Int?
        /// Samples per channel in the track's files; `nil` for frames.
        public var samples: Int64?
        /// Length after the common end that is not shown, in nanoseconds.
        public var cut_ns: Int64
        /// Length before the common end that was filled, in nanoseconds.
        public var filled_ns: Int64
        /// A sentence for people that says what was lost.
        public var text: String
    }

    /// The session folder or media file, as it was given.
    public var path: String
    /// State of the recording after the recovery.
    public var outcome: Outcome
    /// Length from T0 to the end of all tracks, in nanoseconds.
    public var duration_ns: Int64
    /// Tracks of the recording.
    public var tracks: [Track]
    /// Files of which nothing can be read, and other remarks, one sentence each.
    public var remarks: [String]
}

extension RecoveryReport.Track {
    init(_ track: Manifest.Track, _ content: RecoveredContent) {
        let isAudio = track.kind == "microphone"
        self.init(
            name: track.name.printable(), file: track.file.printable(limit: 400),
            frames: isAudio ? nil : Int(content.written),
            samples: isAudio ? content.written : nil, cut_ns: content.ending.cut_ns,
            filled_ns: content.ending.filled_ns, text: content.ending.text)
    }

    /// Creates the entry of a track of which nothing was on the disk.
    init(lost track: Manifest.Track, _ ending: Manifest.RecoveredTrack) {
        self.init(
            name: track.name.printable(), file: track.file.printable(limit: 400), frames: nil, samples: nil,
            cut_ns: 0, filled_ns: 0, text: ending.text.printable(limit: 1000))
    }
}
