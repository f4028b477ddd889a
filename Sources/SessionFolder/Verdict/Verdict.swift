internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamProfiles
internal import MulticamTiming

/// The human-readable verdict on a recording: whether it is complete, and if not, what was lost, why, and what to do
/// about it.
///
/// The verdict is derived only from the manifest. The output of `record`, its `finished` event, `report/sync.svg` and
/// `verify` therefore contain the same sentences.
public struct Verdict: Sendable, Equatable {
    /// Quality level of a recording, from `good` to `bad`. `warning` means that the user should check the recording.
    public enum Level: Int, Sendable, Comparable {
        case good, warning, bad

        /// Whether the left level is better than the right level.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// Level of the recording: the worst level of its sentences.
    public private(set) var level = Level.good
    /// Sentences of the verdict. The first one is the headline (`Complete.`, `Incomplete: camera desk is missing …`);
    /// the others give the details.
    public private(set) var sentences: [String] = []
    /// One sentence for each exceeded profile limit.
    public private(set) var exceededLimits: [String] = []
    /// Whether something is missing from the recording. The first sentence about missing data is the headline.
    package private(set) var isIncomplete = false

    /// The sentences joined with spaces.
    public var text: String { sentences.joined(separator: " ") }

    /// Minimum length in nanoseconds of a gap that shows a slate and counts as bad.
    private static let badGapLength = 1e9
    /// Maximum lag of the files on a sufficiently fast computer, in addition to the alignment delay.
    private static let largestUsualLag = Nanoseconds.milliseconds(1500)
    /// Standard error of a clock, in microseconds, above which synchronization errors may be visible or audible.
    private static let looseClock = 1000.0
    /// Threshold for the error of capture times, in microseconds. The errors of devices whose frames are time-stamped
    /// on arrival are smaller than this.
    private static let looseDates = 250_000.0

    /// Creates the verdict on a recording.
    ///
    /// - Parameter manifest: Manifest of a completed recording, which may come from a file and contain arbitrary
    ///   values.
    package init(_ manifest: Manifest) {
        let tracks = Self.tracks(of: manifest)
        reportEnd(of: manifest, tracks)
        for track in tracks { assess(track) }
        let known = Set(tracks.map(\.name))
        for name in Set(manifest.gaps.map(\.track)).subtracting(known).sorted() {
            reportGaps(of: name, manifest.gaps.filter { $0.track == name })
        }
        reportSilence(manifest)
        reportContent(manifest)
        let cameras = Set(manifest.devices.filter { $0.kind == "camera" }.map(\.role))
        if !sentences.isEmpty, let complete = CompleteTracks(tracks, cameras: cameras).sentence {
            report(.good, complete)
        }
        // The timestamps of a file are exact, so the clock of a file device isn't checked.
        for device in manifest.devices where device.type != SourceKind.file.rawValue {
            let clock = device.clock
            let isLoose = clock.residual_us > Self.looseClock || (clock.error_us ?? 0) > Self.looseDates
            guard isLoose else { continue }
            report(
                .warning,
                "The clock of \(device.role) is accurate only to ±\((clock.uncertainty_us / 100).rounded() / 10) ms."
            )
        }
        reportGroupTime(manifest)
        reportLag(manifest)
        let remedies = Self.remedies(for: tracks)
        if !remedies.isEmpty { report(.good, "Next time, \(remedies.joined(separator: "; ")).") }
        if sentences.isEmpty {
            sentences = ["Complete."] + Self.completeDetails(manifest, tracks)
        } else if !isIncomplete {
            sentences.insert(
                level == .bad ? "Complete, with problems." : "Complete, with warnings.", at: 0)
        }
    }

    private static func tracks(of manifest: Manifest) -> [TrackLosses] {
        func gaps(_ name: String) -> [Gap] { manifest.gaps.filter { $0.track == name } }
        let isRecovered = manifest.recovery != nil
        let frameLimit = manifest.limits?.lost_frames
        let sampleLimit = manifest.limits?.lost_samples
        let withTracks = Set(manifest.tracks.filter { $0.kind == "camera" }.map { $0.role ?? $0.name })
        var tracks = manifest.tracks.flatMap { track -> [TrackLosses] in
            if let frames = track.frames {
                let missing = (track.missing ?? [:]).filter { !withTracks.contains($0.key) }
                let own = gaps(track.name)
                var losses = TrackLosses(
                    track, frames, gaps: missing.isEmpty ? own : [], isRecovered: isRecovered,
                    limit: frameLimit)
                if losses.kind == .program { losses.pause = manifest.programPause }
                losses.isFaulty = !missing.isEmpty
                // The gaps of the program are the gaps of the cameras that it showed.
                return [losses]
                    + missing.keys.sorted().map { role in
                        TrackLosses(
                            role, missing: missing[role] ?? [:], in: frames,
                            gaps: missing.count == 1 ? own : [], limit: frameLimit)
                    }
            }
            return track.samples.map {
                [
                    TrackLosses(
                        track, $0, gaps: gaps(track.role ?? track.name), isRecovered: isRecovered,
                        limit: sampleLimit)
                ]
            } ?? []
        }
        let recorded = Set(manifest.tracks.map { $0.role ?? $0.name })
        tracks += manifest.devices.filter { $0.kind == "microphone" && !recorded.contains($0.role) }.map {
            TrackLosses(
                microphone: $0.role, gaps: gaps($0.role), duration: manifest.duration_ns, limit: sampleLimit)
        }
        let empty = Set(manifest.devices.filter { $0.content != nil }.map(\.role))
        let named = manifest.tracks.filter { empty.contains($0.role ?? $0.name) }.map(\.name)
        for index in tracks.indices
        where empty.contains(tracks[index].name) || named.contains(tracks[index].name) {
            tracks[index].isFaulty = true
        }
        for index in tracks.indices where tracks[index].kind != .program {
            tracks[index].source = source(of: tracks[index], in: manifest)
        }
        return tracks
    }

    /// Returns the kind of a track's device; `nil` if the manifest doesn't contain the device, or if the role
    /// had devices of different kinds.
    private static func source(of losses: TrackLosses, in manifest: Manifest) -> SourceKind? {
        let role = manifest.tracks.first { $0.name == losses.name }.map { $0.role ?? $0.name } ?? losses.name
        let kind = losses.kind == .microphone ? "microphone" : "camera"
        let types = Set(manifest.devices.filter { $0.role == role && $0.kind == kind }.map(\.type))
        guard types.count == 1, let type = types.first else { return nil }
        return type.flatMap { SourceKind(rawValue: $0) }
    }

    /// Adds the reasons why the recording, a track, or a file ended early.
    private mutating func reportEnd(of manifest: Manifest, _ tracks: [TrackLosses]) {
        if manifest.recovery != nil {
            reportLoss(
                .warning, "the recording was interrupted", details: "The data on the disk was recovered.")
        }
        if let reason = manifest.ended_by {
            reportLoss(.bad, "the recording stopped early", details: "Cause: \(reason)")
        }
        var reported = Set([manifest.ended_by].compactMap(\.self))
        for failure in tracks.compactMap(\.failure) where reported.insert(failure).inserted {
            let ended = tracks.filter { $0.failure == failure }
            let subject =
                ended.count == tracks.count && ended.count > 1
                ? "all tracks" : ended.map(\.subject).joined(separator: " and ")
            reportLoss(.bad, "\(subject) stopped early", details: "Cause: \(failure)")
        }
        for file in manifest.files ?? [] where !file.verified {
            guard let fault = file.fault, reported.insert(fault).inserted else { continue }
            reportLoss(.bad, "the file \(file.file) is damaged or incomplete", details: "Cause: \(fault)")
        }
        if manifest.outcome == .storageFailed, sentences.isEmpty {
            reportLoss(
                .bad, "not all data could be written to the folder",
                details: "The data written before the failure is available.")
        }
    }

    private mutating func assess(_ track: TrackLosses) {
        if let excess = track.excess { exceededLimits.append(excess) }
        guard let loss = track.loss else { return }
        let usual = track.kind == .microphone ? RecordingLimits().lostSamples : RecordingLimits().lostFrames
        let isBad =
            track.share > track.limit ?? usual ?? 1 || track.gaps.contains { $0.length >= Self.badGapLength }
        reportLoss(isBad ? .bad : .warning, loss, details: track.causeText)
    }

    private mutating func reportGaps(of name: String, _ gaps: [Gap]) {
        let longest = gaps.map(\.length).max() ?? 0
        reportLoss(
            longest >= Self.badGapLength ? .bad : .warning, "\(name) has \(TrackLosses.text(for: gaps))")
    }

    private mutating func reportSilence(_ manifest: Manifest) {
        guard let limits = manifest.limits, let length = limits.silence_ns else { return }
        for role in limits.silent ?? [] {
            let sentence =
                "microphone \(role) was silent for longer than the limit of \(Nanoseconds(length).displayText)"
                .asSentence
            exceededLimits.append(sentence)
            report(.bad, sentence)
        }
    }

    /// Adds the devices that delivered only silence, a frozen picture or a black picture.
    private mutating func reportContent(_ manifest: Manifest) {
        for device in manifest.devices {
            switch device.content {
            case .silent:
                report(
                    .bad,
                    "Microphone \(device.role) delivered only digital silence. Check that it isn't muted and that the correct input is selected."
                )
            case .frozen:
                report(
                    .warning,
                    "Camera \(device.role) delivered the same picture throughout the recording. Check whether the camera is frozen."
                )
            case .black:
                report(
                    .warning,
                    "Camera \(device.role) delivered only black pictures. Check its lens cover and its video signal."
                )
            case nil: break
            }
        }
    }

    /// Adds a warning if a crash would have caused the loss of more data than usual.
    private mutating func reportLag(_ manifest: Manifest) {
        // A file lags behind real time by at least the duration of the frame that is being captured.
        let slowest = manifest.tracks.compactMap(\.rate).filter { $0 > 0 }.min() ?? .infinity
        let usual = Self.largestUsualLag + .seconds(rounding: min(1 / slowest, 60))
        guard let behind = manifest.cost?.pressure?.files_behind_ns,
            Nanoseconds(behind) - Nanoseconds(manifest.alignment_delay_ns) > usual
        else { return }
        report(
            .warning,
            "Writing the files lagged behind the recording by up to \(Nanoseconds(behind).displayText). A crash would have lost this amount of data."
        )
    }

    /// Adds a warning if the uncertainty of the group's time may have caused offsets between the frames of two
    /// computers.
    private mutating func reportGroupTime(_ manifest: Manifest) {
        guard let time = manifest.group_time else { return }
        let fastest = manifest.tracks.compactMap(\.rate).filter { $0.isFinite && $0 > 0 }.max()
        let half = Nanoseconds.seconds(rounding: 0.5 / (fastest ?? 30))
        func milliseconds(_ count: Int64) -> Double { (Double(count) / 1e5).rounded() / 10 }
        if time.followed == 0 {
            report(
                .warning,
                "The group's time was not measured. The tracks follow this computer's own clock and drift relative to the other computers."
            )
        } else if time.max_bound_ns > half.count {
            report(
                .warning,
                "The group's time was accurate only to ±\(milliseconds(time.max_bound_ns)) ms, which is more than half a frame."
            )
        } else if time.max_error_ns > half.count {
            report(
                .warning,
                "The session clock deviated by up to \(milliseconds(time.max_error_ns)) ms from the group's time, which is more than half a frame."
            )
        } else if Nanoseconds.seconds(Int64(time.followed)) < Nanoseconds(manifest.duration_ns) / 2 {
            // One measurement of the group's time arrives per second.
            report(
                .warning,
                "The group's time was available for less than half of the recording. Without it, the tracks may have drifted relative to the other computers."
            )
        }
        if time.steps > 0 {
            report(
                .warning,
                "The group's time was set during the recording (\(time.steps == 1 ? "once" : "\(time.steps) times")). The tracks do not follow such steps and may be out of sync with the other computers."
            )
        }
    }

    /// Adds a finding about missing data. `details` is a separate sentence.
    private mutating func reportLoss(_ level: Level, _ loss: String, details: String? = nil) {
        report(level, isIncomplete ? loss : "Incomplete: \(loss)")
        isIncomplete = true
        if let details { report(level, details) }
    }

    private mutating func report(_ level: Level, _ sentence: String) {
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

    /// The details for a recording without losses or warnings: its completeness, and the accuracy of its clocks.
    private static func completeDetails(_ manifest: Manifest, _ tracks: [TrackLosses]) -> [String] {
        let hasFrames = tracks.contains { $0.kind != .microphone }
        let hasSamples = tracks.contains { $0.kind == .microphone }
        let parts = (hasFrames ? ["every frame"] : []) + (hasSamples ? ["every sample"] : [])
        let all = parts.isEmpty ? "everything" : parts.joined(separator: " and ")
        let clocks = manifest.devices.filter { $0.type != SourceKind.file.rawValue }.map(\.clock)
        let completeness = "\(all) was recorded".asSentence
        guard let worst = clocks.map(\.uncertainty_us).max() else { return [completeness] }
        let milliseconds = max((worst / 10).rounded(.up) / 100, 0.01)
        return [completeness, "All clocks are accurate to within \(milliseconds) ms."]
    }
}

/// The complete tracks of a recording, as a sentence: `Both camera tracks and microphone host are complete.`
struct CompleteTracks {
    private let tracks: [TrackLosses]
    private let cameras: Set<String>

    /// Creates the list of complete tracks.
    ///
    /// - Parameters:
    ///   - tracks: All recorded tracks.
    ///   - cameras: Roles of all cameras, with or without ISO tracks.
    init(_ tracks: [TrackLosses], cameras: Set<String>) {
        self.tracks = tracks
        self.cameras = cameras
    }

    /// The sentence that names the complete tracks; `nil` if no track is complete.
    var sentence: String? {
        let parts =
            subjects(.program, one: "program", many: "programs")
            + subjects(.camera, one: "camera", many: "camera tracks")
            + subjects(.microphone, one: "microphone", many: "microphones")
        guard let last = parts.last else { return nil }
        let subject = (parts.count > 1 ? parts.dropLast().joined(separator: ", ") + " and " : "") + last
        let isPlural = tracks.filter(\.isComplete).count > 1
        let remedy =
            canMakeProgram
            ? ". \(onCommandLine("Render the program again from \(isPlural ? "them" : "it") with `multicam render`", otherwise: "The program can be rendered again from \(isPlural ? "them" : "it")"))"
            : ""
        return "\(subject) \(isPlural ? "are" : "is") complete\(remedy)".asSentence
    }

    /// Whether the program is incomplete, but can be rendered again because every camera has a complete ISO track.
    private var canMakeProgram: Bool {
        let whole = Set(tracks.filter { $0.kind == .camera && $0.isComplete }.map(\.name))
        return !cameras.isEmpty && cameras.isSubset(of: whole)
            && tracks.contains { $0.kind == .program && !$0.isComplete }
    }

    private func subjects(_ kind: TrackLosses.Kind, one: String, many: String) -> [String] {
        let all = tracks.filter { $0.kind == kind }
        let complete = all.filter(\.isComplete)
        if complete.count == all.count, all.count > 1 {
            return [all.count == 2 ? "both \(many)" : "all \(all.count) \(many)"]
        }
        return complete.map(\.subject)
    }
}

extension Manifest {
    /// Total length of the program pauses made by the governor, capped at the length of the recording.
    ///
    /// The manifest may come from a file and contain arbitrary times. A pause that ends before it starts is
    /// ignored.
    var programPause: Nanoseconds {
        let pause = GovernorMeasure(.programPause, relieves: [])
        let end = max(duration_ns, 0)
        func inside(_ time: Int64) -> Int64 { min(max(time, 0), end) }
        var total: Int64 = 0
        // Both lengths are at most `end`, so the sum cannot overflow.
        func count(from start: Int64, to stop: Int64) {
            total += min(max(stop - start, 0), end - total)
        }
        var start: Int64?
        for step in governor {
            if step.step == pause.text {
                start = start ?? inside(step.at_ns)
            } else if step.step == pause.reverseText, let began = start {
                count(from: began, to: inside(step.at_ns))
                start = nil
            }
        }
        if let start { count(from: start, to: end) }
        return Nanoseconds(total)
    }
}
