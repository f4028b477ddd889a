package import MulticamMedia

/// The result of `multicam sync-check`. The file `report/sync.json` contains this result in the format that
/// is specified in `docs/sync.schema.json`.
package struct SyncFindings: Sendable, Equatable, Codable {
    /// Overall verdict on all tracks.
    package enum Verdict: String, Sendable, Codable {
        /// No track is out of sync by more than the tolerance, and at least one track was measured.
        case aligned
        /// At least one track is out of sync by more than the tolerance.
        case apart
        /// No track could be measured.
        case unknown
    }

    /// Verdict on one track.
    package enum TrackVerdict: String, Sendable, Codable {
        /// The track is the reference for the other tracks.
        case reference
        case aligned, apart, unknown
    }

    /// Method that was used to measure an offset.
    package enum Method: String, Sendable, Codable {
        /// Flashes, claps, and beeps that both tracks contain were matched.
        case claps
        /// The audio of both tracks was correlated.
        case correlation
    }

    /// Limits used to judge the tracks.
    package struct Tolerance: Sendable, Equatable, Codable {
        /// Maximum offset between two audio tracks.
        package let audio: Nanoseconds
        /// Maximum offset if at least one track is video and several claps were measured, in frames of the slower
        /// camera.
        package let frame: Double
        /// Maximum offset if at least one track is video and only one clap was measured, in frames of the slower
        /// camera.
        package let singleFrame: Double

        enum CodingKeys: String, CodingKey {
            case audio = "sound_ns"
            case frame = "picture_frames"
            case singleFrame = "single_picture_frames"
        }
    }

    /// Result of one track, compared with its reference. Unknown values are `nil`, which is encoded as `null`
    /// in JSON.
    package struct Track: Sendable, Equatable, Codable {
        /// Name of the track.
        package let name: String
        /// Content type of the track.
        package let kind: CheckedTrack.Kind
        /// Number of flashes or onsets found in the examined windows.
        package let events: Int
        /// Verdict on the track.
        package var verdict: TrackVerdict
        /// Name of the reference track.
        package var reference: String?
        /// Method that was used to measure the offset.
        package var method: Method?
        /// Offset near the start of the recording.
        package var start: MeasuredOffset?
        /// Offset near the end of the recording.
        package var end: MeasuredOffset?
        /// Drift in parts per million, positive when the track falls behind its reference.
        package var drift: Double?
        /// Uncertainty of the drift in parts per million, in either direction.
        package var driftUncertainty: Double?
        /// Confidence from 0 to 1. If claps were matched, the confidence is the share of claps that agree,
        /// reduced if there are few claps. If audio was correlated, the confidence is derived from the height
        /// of the correlation peak.
        package var confidence: Double?
        /// Maximum offset that counts as aligned for this track.
        package var tolerance: Nanoseconds?
        /// The longer frame duration of the two tracks; `nil` if both tracks are audio.
        package var frame: Nanoseconds?
        /// Offset of each clap that both tracks contain; `nil` if audio was correlated.
        package var claps: [MeasuredOffset]?
        /// The reason why a value is unknown, as a sentence; `nil` if all values are known.
        package var note: String?

        enum CodingKeys: String, CodingKey {
            case name, kind, events, verdict, reference, method, start, end
            case drift = "drift_ppm"
            case driftUncertainty = "drift_uncertainty_ppm"
            case confidence
            case tolerance = "tolerance_ns"
            case frame = "frame_ns"
            case claps, note
        }

        /// Encodes all fields, including fields without a value, which are `null`.
        package func encode(to encoder: any Encoder) throws {
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

    /// Version of the file format.
    package var schema = 1
    /// Version of multicam that made the measurement.
    package let multicam: String
    /// Length of the longest track.
    package let duration: Nanoseconds
    /// Limits used to judge the tracks.
    package let tolerance: Tolerance
    /// Overall verdict on all tracks.
    package let verdict: Verdict
    /// Results of all tracks, in the manifest's order.
    package let tracks: [Track]

    enum CodingKeys: String, CodingKey {
        case schema, multicam
        case duration = "duration_ns"
        case tolerance, verdict, tracks
    }
}

extension SyncFindings {
    /// The verdict as one or two sentences for users.
    package var sentence: String {
        let apart = tracks.filter { $0.verdict == .apart }
        let unknown = tracks.filter { $0.verdict == .unknown }
        let rest = unknown.isEmpty ? "" : " Not measured: \(Self.list(unknown.map(\.label)))."
        switch verdict {
        case .apart:
            return
                "Out of sync: \(Self.list(apart.map(\.label))) \(apart.count == 1 ? "exceeds" : "exceed") the tolerance.\(rest)"
        case .aligned:
            return "In sync: all measured tracks are within the tolerance.\(rest)"
        case .unknown:
            return
                "Unknown: the tracks don't share a flash, a clap, or enough audio for a comparison. Clap once in view of all "
                + "cameras, at the start and at the end."
        }
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension SyncFindings.Track {
    /// Display name of the track. For the program, the name states whether the track contains video or audio.
    package var label: String {
        switch kind {
        case .camera, .microphone: name
        case .programVideo: "\(name) (frames)"
        case .programAudio: "\(name) (audio)"
        }
    }

    /// Short text with the track's verdict and the measured values.
    package var summary: String {
        switch verdict {
        case .reference: "reference"
        case .unknown: "unknown"
        case .aligned, .apart:
            [
                verdict.rawValue,
                start.map { "start \(text(of: $0))" }, end.map { "end \(text(of: $0))" },
                driftText.map { "drift \($0)" },
            ].compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// Returns an offset as text. If video tracks are aligned within the resolution of their frames, the text
    /// is "within one frame", because a value of half a frame would look like a precise measurement.
    ///
    /// - Parameter measured: A measured offset of this track.
    /// - Returns: A short text for users.
    package func text(of measured: MeasuredOffset) -> String {
        guard let frame, measured.leastMagnitude == .zero, measured.offset.magnitude <= frame,
            measured.uncertainty > frame / 2
        else { return measured.text }
        return "within one frame"
    }

    /// The drift with its uncertainty, for example `+1.2 ± 0.3 ppm`; `nil` if the drift is unknown.
    package var driftText: String? {
        guard let drift, let driftUncertainty else { return nil }
        return "\(drift.decimals(1, isSigned: true)) ± \(driftUncertainty.decimals(1)) ppm"
    }
}

extension MeasuredOffset {
    /// The offset with its uncertainty in milliseconds, with two decimal places if they are significant.
    package var text: String {
        let digits = uncertainty < .milliseconds(1) ? 2 : 1
        let offset = self.offset.inMilliseconds.decimals(digits, isSigned: true)
        return "\(offset) ± \(uncertainty.inMilliseconds.decimals(digits)) ms"
    }
}

extension CheckedTrack.Kind {
    /// Display name of the track kind.
    package var displayName: String {
        switch self {
        case .camera: "camera"
        case .microphone: "microphone"
        case .programVideo: "program's frames"
        case .programAudio: "program's audio"
        }
    }
}
