public import Media

/// Result of `multicam sync-check`: the content of `report/sync.json`, which `docs/sync.schema.json` describes.
public struct SyncFindings: Sendable, Equatable, Codable {
    /// Verdict on all tracks together.
    public enum Verdict: String, Sendable, Codable {
        /// No track is apart beyond the tolerance, and at least one could be measured.
        case aligned
        /// At least one track is apart beyond the tolerance.
        case apart
        /// No track could be measured.
        case unknown
    }

    /// Verdict on one track.
    public enum TrackVerdict: String, Sendable, Codable {
        /// The track is the one that the others are measured against.
        case reference
        case aligned, apart, unknown
    }

    /// How an offset was measured.
    public enum Method: String, Sendable, Codable {
        /// Flashes, claps and beeps that both tracks contain were matched.
        case claps
        /// Audio that both tracks contain was correlated.
        case correlation
    }

    /// Limits that the tracks were judged by.
    public struct Tolerance: Sendable, Equatable, Codable {
        /// Largest offset between two tracks of audio.
        public let audio: Nanoseconds
        /// Largest offset where frames take part and several claps were measured, in frames of the slower camera.
        public let frame: Double
        /// Largest offset where frames take part and one clap was measured, in frames of the slower camera.
        public let singleFrame: Double

        enum CodingKeys: String, CodingKey {
            case audio = "sound_ns"
            case frame = "picture_frames"
            case singleFrame = "single_picture_frames"
        }
    }

    /// Result of one track, compared with its reference. Unknown figures are `nil`, and `null` in JSON.
    public struct Track: Sendable, Equatable, Codable {
        /// Name of the track.
        public let name: String
        /// Kind of the track.
        public let kind: CheckedTrack.Kind
        /// Number of flashes or onsets that were found in the examined windows.
        public let events: Int
        /// Verdict on the track.
        public var verdict: TrackVerdict
        /// Name of the track that it was compared with.
        public var reference: String?
        /// How the offset was measured.
        public var method: Method?
        /// Offset near the start of the recording.
        public var start: MeasuredOffset?
        /// Offset near the end of the recording.
        public var end: MeasuredOffset?
        /// Drift in parts per million, positive when the track falls behind its reference.
        public var drift: Double?
        /// Uncertainty of the drift in parts per million, in either direction.
        public var driftUncertainty: Double?
        /// Confidence, 0…1: for claps the share that agrees, less where they are few; for correlation how far the peak stands
        /// out.
        public var confidence: Double?
        /// Largest offset that counts as aligned for this track.
        public var tolerance: Nanoseconds?
        /// Length of a frame of the slower of both tracks; `nil` between tracks of audio.
        public var frame: Nanoseconds?
        /// Offset of each clap that both tracks contain; `nil` where audio was correlated.
        public var claps: [MeasuredOffset]?
        /// Why something is not known, as a sentence; `nil` where all is known.
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

        /// Encodes all fields, those without a value as `null`.
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

    /// Version of this format.
    public var schema = 1
    /// Version of multicam that measured.
    public let multicam: String
    /// Length of the longest track.
    public let duration: Nanoseconds
    /// Limits that the tracks were judged by.
    public let tolerance: Tolerance
    /// Verdict on all tracks together.
    public let verdict: Verdict
    /// Results of all tracks, in the manifest's order.
    public let tracks: [Track]

    enum CodingKeys: String, CodingKey {
        case schema, multicam
        case duration = "duration_ns"
        case tolerance, verdict, tracks
    }
}
