internal import Media
internal import Profiles
internal import Timing

/// The verdict on a recording for people: whether all of it is there, and if not, what is missing, why, and what helps.
///
/// It is made from a manifest alone, so that the end of `record`, its `finished` event, `report/sync.svg` and `verify` say the
/// same sentences.
public struct Verdict: Sendable, Equatable {
    /// How good a recording is, from `good` to `bad`; `look` means that a person should look at something.
    public enum Level: Int, Sendable, Comparable {
        case good, look, bad

        /// Whether the left level is better than the right one.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// Level of the recording: that of its worst sentence.
    public private(set) var level = Level.good
    /// Sentences of the verdict, at least one.
    public private(set) var sentences: [String] = []
    /// A sentence for each limit of the profile that was exceeded.
    public private(set) var exceededLimits: [String] = []

    /// The sentences as one text, separated by spaces.
    public var text: String { sentences.joined(separator: " ") }

    /// Length in nanoseconds from which a gap shows a slate and is bad.
    private static let badGap = 1e9
    /// Standard error of a clock, in microseconds, from which an error may be seen or heard.
    private static let looseClock = 1000.0

    /// Judges a recording.
    ///
    /// - Parameter manifest: Manifest of a recording that is over. It may come from a file and hold anything.
    public init(_ manifest: Manifest) {
        let tracks = Self.tracks(of: manifest)
        noteEnd(of: manifest, tracks)
        for track in tracks { judge(track) }
        let known = Set(tracks.map(\.name))
        for name in Set(manifest.gaps.map(\.track)).subtracting(known).sorted() {
            noteGaps(of: name, manifest.gaps.filter { $0.track == name })
        }
        noteSilence(manifest)
        let cameras = Set(manifest.devices.filter { $0.kind == "camera" }.map(\.role))
        if !sentences.isEmpty, let complete = CompleteTracks(tracks, cameras: cameras).sentence {
            note(.good, complete)
        }
        for device in manifest.devices where device.clock.residual_us > Self.looseClock {
            note(
                .look,
                "The clock of \(device.role) is known to ±\((device.clock.residual_us / 100).rounded() / 10) ms only."
            )
        }
        noteGroupTime(manifest)
        let remedies = Self.remedies(for: tracks)
        if !remedies.isEmpty { note(.good, "Next time \(remedies.joined(separator: "; ")).") }
        if sentences.isEmpty { sentences = [Self.praise(manifest, tracks)] }
    }

    private static func tracks(of manifest: Manifest) -> [TrackLosses] {
        func gaps(_ name: String) -> [Gap] { manifest.gaps.filter { $0.track == name } }
        let isRecovered = manifest.recovery != nil
        let frameLimit = manifest.limits?.lost_frames
        let sampleLimit = manifest.limits?.lost_samples
        var tracks = manifest.tracks.compactMap { track -> TrackLosses? in
            if let frames = track.frames {
                var losses = TrackLosses(
                    track, frames, gaps: gaps(track.name), isRecovered: isRecovered, limit: frameLimit)
                if losses.kind == .program { losses.pause = manifest.programPause }
                return losses
            }
            return track.samples.map {
                TrackLosses(
                    track, $0, gaps: gaps(track.role ?? track.name), isRecovered: isRecovered,
                    limit: sampleLimit)
            }
        }
        let recorded = Set(manifest.tracks.map { $0.role ?? $0.name })
        tracks += manifest.devices.filter { $0.kind == "microphone" && !recorded.contains($0.role) }.map {
            TrackLosses(
                microphone: $0.role, gaps: gaps($0.role), duration: manifest.duration_ns, limit: sampleLimit)
        }
        return tracks
    }

    /// Notes why the recording, a track or a file ended early.
    private mutating func noteEnd(of manifest: Manifest, _ tracks: [TrackLosses]) {
        if manifest.recovery != nil {
            note(.look, "The recording did not come to its end: what was on the disk was recovered.")
        }
        if let reason = manifest.ended_by {
            note(.bad, "The recording was ended: \(reason)")
        }
        var told = Set([manifest.ended_by].compactMap(\.self))
        for failure in tracks.compactMap(\.failure) where told.insert(failure).inserted {
            let ended = tracks.filter { $0.failure == failure }
            let subject =
                ended.count == tracks.count && ended.count > 1
                ? "all tracks" : ended.map(\.subject).joined(separator: " and ")
            note(.bad, "\(subject) ended early: \(failure)")
        }
        for file in manifest.files ?? [] where !file.verified {
            guard let fault = file.fault, told.insert(fault).inserted else { continue }
            note(.bad, "\(file.file): \(fault)")
        }
        if manifest.outcome == .storageFailed, sentences.isEmpty {
            note(.bad, "Not everything could be written to the folder: what was written is kept.")
        }
    }

    private mutating func judge(_ track: TrackLosses) {
        if let excess = track.excess { exceededLimits.append(excess) }
        guard let sentence = track.sentence else { return }
        let usual = track.kind == .microphone ? RecordingLimits().lostSamples : RecordingLimits().lostFrames
        let isBad =
            track.share > track.limit ?? usual ?? 1 || track.gaps.contains { $0.length >= Self.badGap }
        note(isBad ? .bad : .look, sentence)
    }

    private mutating func noteGaps(of name: String, _ gaps: [Gap]) {
        let longest = gaps.map(\.length).max() ?? 0
        note(longest >= Self.badGap ? .bad : .look, "\(name) has \(TrackLosses.words(for: gaps))")
    }

    private mutating func noteSilence(_ manifest: Manifest) {
        guard let limits = manifest.limits, let length = limits.silence_ns else { return }
        for role in limits.silent ?? [] {
            let sentence =
                "microphone \(role) was silent for longer than the limit of \(Nanoseconds(length).words)"
                .asSentence
            exceededLimits.append(sentence)
            note(.bad, sentence)
        }
    }

    /// Notes where the group's time was so uncertain that frames of two computers may be apart.
    private mutating func noteGroupTime(_ manifest: Manifest) {
        guard let time = manifest.group_time else { return }
        let fastest = manifest.tracks.compactMap(\.rate).filter { $0.isFinite && $0 > 0 }.max()
        let half = Nanoseconds.seconds(rounding: 0.5 / (fastest ?? 30))
        func milliseconds(_ count: Int64) -> Double { (Double(count) / 1e5).rounded() / 10 }
        if time.followed == 0 {
            note(
                .look,
                "The group's time was not measured: the tracks run on this computer's own crystal, and drift from those of the others."
            )
        } else if time.max_bound_ns > half.count {
            note(
                .look,
                "The group's time was known to ±\(milliseconds(time.max_bound_ns)) ms only, which is more than half a frame."
            )
        } else if time.max_error_ns > half.count {
            note(
                .look,
                "The session clock was up to \(milliseconds(time.max_error_ns)) ms from the group's time, which is more than half a frame."
            )
        } else if Nanoseconds.seconds(Int64(time.followed)) < Nanoseconds(manifest.duration_ns) / 2 {
            // A measurement comes once a second.
            note(
                .look,
                "The group's time was known for less than half of the recording: in between the tracks may have drifted from those of the others."
            )
        }
        if time.steps > 0 {
            note(
                .look,
                "The group's time was set while it was recorded (\(time.steps == 1 ? "once" : "\(time.steps) times")), which the tracks do not follow: those of the others may be apart from them."
            )
        }
    }

    private mutating func note(_ level: Level, _ sentence: String) {
        self.level = max(self.level, level)
        sentences.append(sentence.printable(limit: 1000).asSentence)
    }

    private static func remedies(for tracks: [TrackLosses]) -> [String] {
        var remedies: [String] = []
        for remedy in tracks.flatMap(\.explanations).map(\.remedy) where !remedies.contains(remedy) {
            remedies.append(remedy)
        }
        return remedies
    }

    private static func praise(_ manifest: Manifest, _ tracks: [TrackLosses]) -> String {
        let hasFrames = tracks.contains { $0.kind != .microphone }
        let hasSamples = tracks.contains { $0.kind == .microphone }
        let parts = (hasFrames ? ["every frame"] : []) + (hasSamples ? ["every sample"] : [])
        let all = parts.isEmpty ? "everything" : parts.joined(separator: " and ")
        guard let worst = manifest.devices.map(\.clock.residual_us).max() else {
            return "\(all) is there".asSentence
        }
        let milliseconds = max((worst / 10).rounded(.up) / 100, 0.01)
        return "\(all) is there, and every clock is known to \(milliseconds) ms".asSentence
    }
}
