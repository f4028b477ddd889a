internal import Media

/// What a recovery found and did.
public struct RecoveryReport: Sendable, Equatable, Encodable {
    public enum Outcome: String, Sendable, Encodable {
        /// It is whole now.
        case recovered
        /// It was whole already.
        case whole
        /// Of a file that had something in it, nothing can be read, or it is missing; the others are whole now. The remarks name it.
        case incomplete
    }

    public struct Track: Sendable, Equatable, Encodable {
        public var name: String
        public var file: String
        /// Of frames.
        public var frames: Int?
        /// Of audio, per channel.
        public var samples: Int64?
        public var cut_ns: Int64
        public var filled_ns: Int64
        /// What was lost, for people.
        public var text: String
    }

    public var path: String
    public var outcome: Outcome
    /// From T0 to the end of all tracks.
    public var duration_ns: Int64
    public var tracks: [Track]
    /// Files of which nothing can be read, and what else is to be told: one sentence each.
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

    /// A track of which nothing was on the disk.
    init(lost track: Manifest.Track, _ ending: Manifest.RecoveredTrack) {
        self.init(
            name: track.name.printable(), file: track.file.printable(limit: 400), frames: nil, samples: nil,
            cut_ns: 0, filled_ns: 0, text: ending.text.printable(limit: 1000))
    }
}
