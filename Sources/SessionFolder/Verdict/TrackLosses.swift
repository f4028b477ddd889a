internal import MulticamMedia
internal import MulticamTiming

/// The losses of one track, grouped by cause.
///
/// Counts are `Double`, because a manifest read from a file may contain any number, and sums must not overflow.
struct TrackLosses {
    /// Kind of track, which determines how messages describe the track.
    enum Kind {
        case camera, microphone, program
        /// A camera that is shown in the program but has no ISO track.
        case shown
    }

    let name: String
    let kind: Kind
    /// Number of lost frames, or of lost samples at 48 kHz.
    let lost: Double
    /// Total number of lost and captured frames or samples.
    let all: Double
    /// The parts of `lost` by cause, largest first. For audio, the counts are gap lengths in samples.
    let causes: [(word: String, count: Double)]
    let gaps: [Gap]
    /// Reason why the track ended before the recording; `nil` if the track didn't end early.
    let failure: String?
    let limit: Double?
    /// Total length of the program pauses made by the governor.
    var pause = Nanoseconds.zero
    /// Whether the track is incomplete for a reason other than losses, for example because it is silent.
    var isFaulty = false

    /// Creates the losses of a camera without an ISO track: its missing frames while the program showed it, in program
    /// ticks.
    init(_ role: String, missing: [String: Int], in frames: Manifest.Frames, gaps: [Gap], limit: Double?) {
        name = role
        kind = .shown
        let counts = missing.mapValues { Double(max($0, 0)) }
        all = Double(max(frames.written, 0))
        lost = min(counts.values.reduce(0, +), all)
        causes = Self.sorted(counts, isRecovered: false)
        self.gaps = gaps
        failure = nil
        self.limit = limit
    }
    /// Kind of device; `nil` if the manifest doesn't contain the device, and for the program.
    var source: SourceKind?
    /// x264 preset; `nil` if unknown.
    private var preset: String?

    /// Creates the losses of a camera track or of the program. In a recovered recording, frames lost in the crash are
    /// not attributed to the disk.
    init(
        _ track: Manifest.Track, _ frames: Manifest.Frames, gaps: [Gap], isRecovered: Bool, limit: Double?
    ) {
        name = track.name
        kind = track.kind == "program" ? .program : .camera
        preset = track.encoder?.preset
        let counts = frames.lost.mapValues { Double(max($0, 0)) }
        lost = counts.values.reduce(0, +)
        all = Double(max(frames.captured, 0)) + lost
        causes = Self.sorted(counts, isRecovered: isRecovered)
        // A gap shorter than a frame, for example between a file's last frame and the end, can't contain one.
        let interval = track.rate.map { $0 > 0 ? 1e9 / $0 : 0 } ?? 0
        self.gaps = lost > 0 ? gaps : gaps.filter { $0.length >= interval }
        failure = track.failure
        self.limit = limit
    }

    /// Creates the losses of a microphone track.
    init(
        _ track: Manifest.Track, _ samples: Manifest.Samples, gaps: [Gap], isRecovered: Bool, limit: Double?
    ) {
        name = track.name
        kind = .microphone
        lost = Double(max(samples.silence, 0))
        all = Double(max(samples.written, 0))
        self.gaps = Self.withSamples(gaps)
        causes = Self.sorted(Self.lengths(of: self.gaps), isRecovered: isRecovered)
        failure = track.failure
        self.limit = limit
    }

    /// Creates the losses of a microphone that is recorded only in the program, derived from its gaps.
    init(microphone role: String, gaps: [Gap], duration: Int64, limit: Double?) {
        name = role
        kind = .microphone
        self.gaps = Self.withSamples(gaps)
        let lengths = Self.lengths(of: self.gaps)
        lost = lengths.values.reduce(0, +)
        all = max(Self.samples(inNanoseconds: Double(duration)), lost)
        causes = Self.sorted(lengths, isRecovered: false)
        failure = nil
        self.limit = limit
    }

    var isComplete: Bool { lost == 0 && gaps.isEmpty && failure == nil && !isFaulty }

    /// Fraction of lost frames or samples: lost ÷ all, 0…1.
    var share: Double { lost == 0 ? 0 : lost / all }

    var exceedsLimit: Bool { limit.map { share > $0 } ?? false }

    /// Explanations of all causes, most frequent first.
    var explanations: [LossExplanation] {
        causes.compactMap { LossCause(rawValue: $0.word).map(explanation) }
    }

    func explanation(of cause: LossCause) -> LossExplanation {
        cause.explanation(
            of: LossExplanation.Subject(kind: source, isProgram: kind == .program, preset: preset))
    }

    private static func sorted(
        _ counts: [String: Double], isRecovered: Bool
    ) -> [(word: String, count: Double)] {
        counts.filter { $0.value > 0 && !(isRecovered && $0.key == LossCause.disk.rawValue) }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// Returns the lengths of a microphone's gaps in samples at 48 kHz, by cause. A cause that doesn't start
    /// with a keyword of the loss ledger is the reason that the device itself reported for the outage.
    private static func lengths(of gaps: [Gap]) -> [String: Double] {
        var lengths: [String: Double] = [:]
        for gap in gaps {
            let cause = LossCause(rawValue: String(gap.cause.prefix { $0 != ":" })) ?? .disconnected
            lengths[cause.rawValue, default: 0] += samples(inNanoseconds: gap.length)
        }
        return lengths
    }

    /// Returns the gaps that contain a sample. A shorter gap occurs, for example, between a file's last sample and the
    /// end of the recording.
    private static func withSamples(_ gaps: [Gap]) -> [Gap] {
        gaps.filter { samples(inNanoseconds: $0.length) >= 1 }
    }

    private static func samples(inNanoseconds count: Double) -> Double {
        (count * Double(AudioFormat.sessionRate) / 1e9).rounded()
    }
}

extension Gap {
    /// Length of the gap in nanoseconds; 0 for a gap that ends before it starts, which occurs only in damaged
    /// manifests.
    package var length: Double { max(Double(to.nanoseconds) - Double(from.nanoseconds), 0) }
}

extension TrackLosses {
    /// Name of the track in messages: `camera desk`, `the program`.
    var subject: String {
        switch kind {
        case .camera: "camera \(name)"
        case .microphone: "microphone \(name)"
        case .program, .shown: "the program"
        }
    }

    /// The extent of the losses as a clause: `camera desk is missing 5 of 150 frames (3.3 %, limit 1 %)`;
    /// `nil` for a track without losses or gaps.
    var loss: String? {
        if lost > 0 {
            return "\(subject) is missing \(amount)\(shareText)\(places)\(pauseText)"
        }
        return gaps.isEmpty ? nil : "\(subject) has \(Self.text(for: gaps))"
    }

    /// A sentence that states the losses of a track that exceeds its limit; `nil` for other tracks.
    var excess: String? {
        exceedsLimit ? "\(subject) is missing \(amount)\(shareText)".asSentence : nil
    }

    /// Formats the number and length of gaps: `a gap of 0.25 s`, `2 gaps, the longest of 4 s`.
    static func text(for gaps: [Gap]) -> String {
        let longest = seconds((gaps.map(\.length).max() ?? 0) / 1e9)
        return gaps.count == 1 ? "a gap of \(longest) s" : "\(gaps.count) gaps (longest: \(longest) s)"
    }

    /// The amount of loss: `62 of 300 frames`, `0.42 s of 8 s of audio`.
    private var amount: String {
        switch kind {
        case .shown: "camera \(name) in \(Self.whole(lost)) of \(Self.whole(all)) frame\(all == 1 ? "" : "s")"
        case .camera, .program: "\(Self.whole(lost)) of \(Self.whole(all)) frame\(all == 1 ? "" : "s")"
        case .microphone: "\(Self.seconds(ofSamples: lost)) s of \(Self.seconds(ofSamples: all)) s of audio"
        }
    }

    private var places: String {
        switch (kind, gaps.count) {
        case (_, 0): ""
        case (.microphone, 1): " in one place"
        case (.microphone, let count): " in \(count) places"
        case (_, _): " in \(Self.text(for: gaps))"
        }
    }

    /// The percentage of the losses and the limit, if the track has one: ` (3.3 %, limit 1 %)`.
    private var shareText: String {
        let percent = min(share, 1) * 100
        // Rounding must not hide that the limit is exceeded.
        let tenths = (percent * 10).rounded() / 10
        let isExact = percent < 1 || limit.map { (tenths > $0 * 100) != exceedsLimit } ?? false
        let text = isExact ? Self.percent(min(share, 1)) : Self.trimmed(tenths)
        let shown = text == "0" ? "less than 0.001 %" : "\(text) %"
        return limit.map { " (\(shown), limit \(Self.percent($0)) %)" } ?? " (\(shown))"
    }

    private var pauseText: String { pause > .zero ? " and was paused for \(pause.displayText)" : "" }

    /// A sentence that names the causes of the losses; `nil` if no cause is known.
    var causeText: String? {
        // Causes with the same wording are combined.
        var reasons: [(words: String, count: Double)] = []
        for cause in causes {
            let words = text(forCause: cause.word)
            if let index = reasons.firstIndex(where: { $0.words == words }) {
                reasons[index].count += cause.count
            } else {
                reasons.append((words, cause.count))
            }
        }
        guard lost > 0, let first = reasons.first else { return nil }
        if reasons.count == 1 { return "Cause: \(first.words)".asSentence }
        let parts = reasons.map { reason in
            let count =
                kind == .microphone
                ? "\(Self.seconds(ofSamples: reason.count)) s"
                : "\(Self.whole(reason.count)) frame\(reason.count == 1 ? "" : "s")"
            return "\(reason.words) (\(count))"
        }
        return "Causes: \(parts.joined(separator: "; "))".asSentence
    }

    private func text(forCause word: String) -> String {
        LossCause(rawValue: word).map { explanation(of: $0).cause }
            ?? "unknown cause “\(word)”"
    }

    static func whole(_ count: Double) -> String { "\(Int64(rounding: min(count, 1e15)))" }

    private static func percent(_ share: Double) -> String { trimmed((share * 100_000).rounded() / 1000) }

    private static func seconds(ofSamples count: Double) -> String {
        seconds(count / Double(AudioFormat.sessionRate))
    }

    /// Formats seconds with two decimals, or three below 0.1 s.
    static func seconds(_ value: Double) -> String {
        trimmed(value < 0.1 ? (value * 1000).rounded() / 1000 : (value * 100).rounded() / 100)
    }

    /// Formats the number without a zero fraction: `8` instead of `8.0`.
    private static func trimmed(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(rounding: value))" : "\(value)"
    }
}
