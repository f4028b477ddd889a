internal import MulticamEncoding
package import MulticamMedia

/// Measures the offsets between the tracks of a recording, using only the recorded frames and audio.
///
/// All times are file times. An offset is positive if the same clap is seen or heard later in the track than
/// in its reference. The check examines the first and the last minute of the recording. If a track doesn't
/// contain events in these minutes, the check examines up to five minutes at each end. The check blocks the
/// calling thread while it reads and decodes files. Not thread-safe: use it from one thread only.
package struct SyncCheck {
    /// The events of one track.
    private struct AnalyzedTrack {
        let track: CheckedTrack
        let reader: TrackEvents
        let start: [SharpEvent]
        /// Events near the end of the recording; empty if the recording is too short for two windows.
        let end: [SharpEvent]

        var events: Int { start.count + end.count }
    }

    private let session: CheckedSession
    private let tolerance: SyncTolerance

    private static let window = Nanoseconds.seconds(60)
    private static let widest = Nanoseconds.seconds(300)
    /// Maximum difference, caused by drift, between the offsets of two claps that confirm each other.
    private static let confirmation = Nanoseconds.milliseconds(10)
    /// Minimum length of each half of a recording for the halves to be examined as two windows. A shorter
    /// recording is examined as a single window.
    private static let shortestHalf = Nanoseconds.seconds(2)

    /// Prepares to check a recording with the given tolerance.
    package init(_ session: CheckedSession, tolerance: SyncTolerance = SyncTolerance()) {
        self.session = session
        self.tolerance = tolerance
    }

    /// Examines and compares all tracks.
    ///
    /// - Parameters:
    ///   - version: Version of the program that makes the measurement.
    ///   - progress: Called a few times per track with a message for users, on the calling thread.
    /// - Returns: The result, with an entry for each track in the manifest's order.
    /// - Throws: `EncodingError` if a file can't be read.
    package func run(
        version: String, progress: (String) -> Void = { _ in }
    ) throws(EncodingError) -> SyncFindings {
        var found: [AnalyzedTrack] = []
        for track in session.tracks { found.append(try findEvents(in: track, progress)) }
        let references = Self.references(among: found)
        var tracks: [SyncFindings.Track] = []
        for (index, one) in found.enumerated() {
            guard index != references.first else {
                tracks.append(entry(of: one, .reference))
                continue
            }
            progress("comparing \(one.track.name)")
            tracks.append(try compare(one, with: references.filter { $0 != index }.map { found[$0] }))
        }
        let verdicts = tracks.map(\.verdict)
        let verdict: SyncFindings.Verdict =
            verdicts.contains(.apart) ? .apart : verdicts.contains(.aligned) ? .aligned : .unknown
        return SyncFindings(
            multicam: version, duration: duration(of: found), tolerance: written, verdict: verdict,
            tracks: tracks)
    }

    private var written: SyncFindings.Tolerance {
        SyncFindings.Tolerance(
            audio: tolerance.audio, frame: tolerance.frame, singleFrame: tolerance.singleFrame)
    }

    private func duration(of found: [AnalyzedTrack]) -> Nanoseconds {
        found.map(\.reader.duration).max() ?? .zero
    }

    // MARK: Event detection

    private func findEvents(
        in track: CheckedTrack, _ progress: (String) -> Void
    ) throws(EncodingError) -> AnalyzedTrack {
        let reader = try TrackEvents(track)
        let half = reader.duration / 2
        progress("analyzing the start of \(track.name)")
        guard half >= Self.shortestHalf else {
            let whole = TrackWindow(from: .zero, to: reader.duration + Self.window)
            return AnalyzedTrack(track: track, reader: reader, start: try reader.find(in: whole), end: [])
        }
        var start: [SharpEvent] = []
        var place = Nanoseconds.zero
        while start.isEmpty, place < min(half, Self.widest) {
            start = try reader.find(in: TrackWindow(from: place, to: min(half, place + Self.window)))
            place = place + Self.window
        }
        progress("analyzing the end of \(track.name)")
        var end: [SharpEvent] = []
        place = .zero
        while end.isEmpty, place < min(half, Self.widest) {
            let to = reader.duration - place
            end = try reader.find(in: TrackWindow(from: max(half, to - Self.window), to: to))
            place = place + Self.window
        }
        return AnalyzedTrack(track: track, reader: reader, start: start, end: end)
    }

    /// Returns the indices of the tracks that may serve as the reference, starting with the most suitable one. The
    /// order is: microphones with events, other tracks with events, the first camera with events, the first microphone,
    /// the first track with audio, and the first track.
    private static func references(among found: [AnalyzedTrack]) -> [Int] {
        let microphone = found.firstIndex { $0.track.kind == .microphone }
        let candidates = [
            found.firstIndex { $0.track.kind == .microphone && $0.events > 0 },
            found.firstIndex { $0.events > 0 },
            found.firstIndex { $0.track.kind == .camera && $0.events > 0 },
            microphone, found.firstIndex { $0.track.kind.isAudio }, found.indices.first,
        ]
        var references: [Int] = []
        for case let candidate? in candidates where !references.contains(candidate) {
            references.append(candidate)
        }
        return references
    }

    // MARK: Comparison

    private func entry(of found: AnalyzedTrack, _ verdict: SyncFindings.TrackVerdict) -> SyncFindings.Track {
        SyncFindings.Track(
            name: found.track.name, kind: found.track.kind, events: found.events, verdict: verdict)
    }

    /// Returns the result for the first reference that allows a successful comparison. If no comparison succeeds, the
    /// track is `unknown`.
    private func compare(
        _ found: AnalyzedTrack, with references: [AnalyzedTrack]
    ) throws(EncodingError) -> SyncFindings.Track {
        for reference in references {
            if let track = compareByClaps(found, reference) { return track }
            if found.track.kind.isAudio, reference.track.kind.isAudio,
                let track = try compareByAudio(found, reference)
            {
                return track
            }
        }
        var track = entry(of: found, .unknown)
        track.note = note(of: found, references.first)
        return track
    }

    private func note(of found: AnalyzedTrack, _ reference: AnalyzedTrack?) -> String {
        guard let reference else { return "No other track is available for a comparison." }
        let event = found.track.kind.isAudio ? "clap or beep" : "flash or lamp being switched on"
        if found.events == 0 {
            let audio = found.track.kind.isAudio ? ", and the audio doesn't clearly match another track" : ""
            return "No \(event) was found\(audio)."
        }
        return "The events in this track don't clearly match those in \(reference.track.name)."
    }

    private func frame(_ first: CheckedTrack, _ second: CheckedTrack) -> Nanoseconds? {
        first.kind.isAudio && second.kind.isAudio ? nil : max(first.frame, second.frame)
    }

    private func compareByClaps(_ found: AnalyzedTrack, _ reference: AnalyzedTrack) -> SyncFindings.Track? {
        let (own, other) = (found.track.kind.isAudio, reference.track.kind.isAudio)
        func comparison(_ events: [SharpEvent], _ referenceEvents: [SharpEvent]) -> ClapComparison? {
            ClapComparison(referenceEvents, events, areAudio: own && other, areFrames: !own && !other)
        }
        let start = comparison(found.start, reference.start)
        let end = comparison(found.end, reference.end)
        let confidences = [start, end].compactMap { $0?.confidence }
        guard let confidence = confidences.min() else { return nil }
        let claps = (start?.claps ?? []) + (end?.claps ?? [])
        if own && other, !Self.areConfirmed(start, end) { return nil }
        var drift = own && other ? MeasuredDrift(of: claps) : nil
        if drift == nil, let start, let end { drift = MeasuredDrift(from: start.whole, to: end.whole) }
        return makeResult(
            found, reference, .claps, start: start?.whole, end: end?.whole, drift: drift,
            confidence: confidence,
            claps: claps)
    }

    /// Whether it is certain that two audio tracks contain the same claps. If only one or two sounds match,
    /// the microphones may be in different rooms, and the match may be a coincidence. The claps are therefore
    /// trusted only if at least three sounds match, or if the offset is the same at both ends. For video
    /// tracks, one clap is sufficient because flashes are rarer than impact sounds.
    private static func areConfirmed(_ start: ClapComparison?, _ end: ClapComparison?) -> Bool {
        let counts = [start, end].map { $0?.claps.count ?? 0 }
        if counts.contains(where: { $0 >= 3 }) { return true }
        guard let start, let end else { return false }
        return (start.whole.offset - end.whole.offset).magnitude <= confirmation
    }

    private func compareByAudio(_ found: AnalyzedTrack, _ reference: AnalyzedTrack) throws(EncodingError)
        -> SyncFindings.Track?
    {
        let duration = min(found.reader.duration, reference.reader.duration)
        guard let measured = try AudioComparison.measure(reference.reader, found.reader, duration: duration)
        else { return nil }
        return makeResult(
            found, reference, .correlation, start: measured.start, end: measured.end,
            drift: MeasuredDrift(from: measured.start, to: measured.end), confidence: measured.confidence,
            claps: [])
    }

    private func makeResult(
        _ found: AnalyzedTrack, _ reference: AnalyzedTrack, _ method: SyncFindings.Method,
        start: MeasuredOffset?,
        end: MeasuredOffset?, drift: MeasuredDrift?, confidence: Double, claps: [MeasuredOffset]
    ) -> SyncFindings.Track {
        let frame = frame(found.track, reference.track)
        let measured = [start, end].compactMap { $0 }
        let isApart = measured.contains { tolerance.isExceeded(by: $0, frame: frame) }
        var track = entry(of: found, isApart ? .apart : .aligned)
        track.reference = reference.track.name
        track.method = method
        track.start = start
        track.end = end
        track.drift = drift.map { ($0.partsPerMillion * 100).rounded() / 100 }
        track.driftUncertainty = drift.map { ($0.uncertainty * 100).rounded() / 100 }
        track.confidence = (confidence * 1000).rounded() / 1000
        track.tolerance = tolerance.limit(frame: frame, claps: measured.map(\.claps).min() ?? 0)
        track.frame = frame
        track.claps = method == .claps ? claps : nil
        track.note = note(start: start, end: end, drift: drift, frame: frame)
        return track
    }

    private func note(
        start: MeasuredOffset?, end: MeasuredOffset?, drift: MeasuredDrift?, frame: Nanoseconds?
    ) -> String? {
        if start == nil { return "No event was found near the start, so the drift is unknown." }
        if end == nil {
            return
                "The drift is unknown, because the recording is too short or no event was found near the end."
        }
        guard drift == nil else { return nil }
        return frame == nil
            ? "The recording is too short to measure drift."
            : "The drift is unknown. To measure the drift of a camera, record more claps."
    }
}

/// The reason why a folder can't be measured.
package struct SyncCheckError: Error, Sendable, Equatable {
    /// Path of the session folder.
    package let folder: String
    /// A message that describes the problem and how to solve it.
    package let reason: String
    /// Whether the cause is that the process lacks read permission.
    package let isPermission: Bool

    /// Creates an error for a folder. The reason is a sentence that is displayed after the folder's path.
    package init(folder: String, reason: String, isPermission: Bool = false) {
        self.folder = folder
        self.reason = reason
        self.isPermission = isPermission
    }
}

extension SyncCheckError: CustomStringConvertible {
    /// The folder and the reason, as a message for users.
    package var description: String { "\(folder.printable(limit: 1000)): \(reason)" }
}
