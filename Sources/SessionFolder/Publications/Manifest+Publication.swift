extension Manifest {
    /// A live output during the recording.
    public struct Publication: Sendable, Equatable, Codable {
        /// A stretch of time for which the destination took what was sent.
        public struct Connection: Sendable, Equatable, Codable {
            /// Beginning in nanoseconds since T0.
            public var from_ns: Int64
            /// End in nanoseconds since T0.
            public var to_ns: Int64

            package init(from_ns: Int64, to_ns: Int64) { (self.from_ns, self.to_ns) = (from_ns, to_ns) }
        }

        /// Most reasons that are kept.
        package static let mostReasons = 20

        /// Name of the publication.
        public var name: String
        /// Kind of the destination: `srt`, `rtmp`, `whip`, `v4l2` or `pulse`.
        public var kind: String
        /// When the destination was connected, in order.
        public var connected: [Connection]
        /// Number of sent frames; of a virtual microphone, blocks of 20 ms.
        public var sent_frames: Int64
        /// Number of frames that were not sent since the destination took too few, or was away.
        public var dropped_frames: Int64
        /// Sentences on what went wrong, each once.
        public var reasons: [String]

        package init(
            name: String, kind: String, connected: [Connection] = [], sent_frames: Int64 = 0,
            dropped_frames: Int64 = 0, reasons: [String] = []
        ) {
            self.name = name
            self.kind = kind
            self.connected = connected
            self.sent_frames = sent_frames
            self.dropped_frames = dropped_frames
            self.reasons = reasons
        }
    }
}
