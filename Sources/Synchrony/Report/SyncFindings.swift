public import Media

/// What `multicam sync-check` found: `report/sync.json`, described by `docs/sync.schema.json`.
public struct SyncFindings: Sendable, Equatable, Codable {
    public enum Verdict: String, Sendable, Codable {
        /// Nothing is apart beyond the tolerance, and something could be measured.
        case aligned
        /// A track is apart beyond the tolerance.
        case apart
        /// Nothing could be measured.
        case unknown
    }

    public enum TrackVerdict: String, Sendable, Codable {
        /// What the others are measured against.
        case reference
        case aligned, apart, unknown
    }

    public enum Method: String, Sendable, Codable {
        /// Flashes, claps and beeps.
        case claps
        /// Audio that both hear.
        case correlation
    }

    public struct Tolerance: Sendable, Equatable, Codable {
        public let audio: Nanoseconds
        public let frame: Double
        public let singleFrame: Double

        enum CodingKeys: String, CodingKey {
            case audio = "sound_ns"
            case frame = "picture_frames"
            case singleFrame = "single_picture_frames"
        }
    }

    /// One track, against the one that it was compared with. What is not known is `nil`, and `null` in JSON.
    public struct Track: Sendable, Equatable, Codable {
        public let name: String
        public let kind: CheckedTrack.Kind
        /// How many flashes or onsets were found in what was looked at.
        public let events: Int
        public var verdict: TrackVerdict
        public var reference: String?
        public var method: Method?
        public var start: MeasuredOffset?
        public var end: MeasuredOffset?
        public var drift: Double?
        public var driftUncertainty: Double?
        /// 0…1: of claps, the share that agrees, less where they are few; of correlation, how far the peak stands out.
        public var confidence: Double?
        /// The limit that it was judged by.
        public var tolerance: Nanoseconds?
        /// How long a frame of the slower track lasts; `nil` between sounds.
        public var frame: Nanoseconds?
        /// Each clap.
        public var claps: [MeasuredOffset]?
        /// Why something is not known.
        public var note: String?

        enum CodingKeys: String, CodingKey {
            case name, kind, events, verdict, reference, method, start, end
            case drift = "drift_ppm"
            case driftUncertainty = "drift_uncertainty_ppm"
            case confidence
            case tolerance = "tolerance_ns"
            case frame = "frame_ns"
            case claps, note
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(kind, forKey: .kind)
            try container.encode(events, forKey: .events)
            try container.encode(verdict, forKey: .verdict)
            try container.encode(reference, forKey: .reference)
            try container.encode(method, forKey: .method)
            try container.encode(start, forKey: .start)
            try container.encode(end, forKey: .end)
            try container.encode(drift, forKey: .drift)
            try container.encode(driftUncertainty, forKey: .driftUncertainty)
            try container.encode(confidence, forKey: .confidence)
            try container.encode(tolerance, forKey: .tolerance)
            try container.encode(frame, forKey: .frame)
            try container.encode(claps, forKey: .claps)
            try container.encode(note, forKey: .note)
        }
    }

    public var schema = 1
    /// The version of the program that measured.
    public let multicam: String
    public let duration: Nanoseconds
    public let tolerance: Tolerance
    public let verdict: Verdict
    public let tracks: [Track]

    enum CodingKeys: String, CodingKey {
        case schema, multicam
        case duration = "duration_ns"
        case tolerance, verdict, tracks
    }
}
