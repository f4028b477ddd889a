internal import Media
internal import Timing

extension TrackLosses {
    /// The track in words: `camera desk`, `the program`.
    var subject: String {
        switch kind {
        case .camera: "camera \(name)"
        case .microphone: "microphone \(name)"
        case .program: "the program"
        }
    }

    /// A sentence that says what is missing and why; `nil` where nothing is.
    var sentence: String? {
        if lost > 0 {
            return "\(subject) misses \(amount)\(places)\(excessWords)\(pauseWords)\(reasons)".asSentence
        }
        return gaps.isEmpty ? nil : "\(subject) has \(Self.words(for: gaps))".asSentence
    }

    /// A sentence that says by how much the track exceeds its limit of losses; `nil` where it does not.
    var excess: String? {
        exceedsLimit ? "\(subject) misses \(amount)\(excessWords)".asSentence : nil
    }

    /// Number and length of gaps in words: `a gap of 0.25 s`, `2 gaps, the longest of 4 s`.
    static func words(for gaps: [Gap]) -> String {
        let longest = seconds((gaps.map(\.length).max() ?? 0) / 1e9)
        return gaps.count == 1 ? "a gap of \(longest) s" : "\(gaps.count) gaps, the longest of \(longest) s"
    }

    /// The loss in words: `62 of 300 frames`, `0.42 s of 8 s of audio`.
    private var amount: String {
        switch kind {
        case .camera, .program: "\(Self.whole(lost)) of \(Self.whole(all)) frame\(all == 1 ? "" : "s")"
        case .microphone: "\(Self.seconds(ofSamples: lost)) s of \(Self.seconds(ofSamples: all)) s of audio"
        }
    }

    private var places: String {
        switch (kind, gaps.count) {
        case (_, 0): ""
        case (.microphone, 1): " in one place"
        case (.microphone, let count): " in \(count) places"
        case (_, _): " in \(Self.words(for: gaps))"
        }
    }

    private var excessWords: String {
        guard exceedsLimit, let limit else { return "" }
        return " (the limit is \(Self.percent(limit)) %)"
    }

    private var pauseWords: String { pause > .zero ? " and stood still for \(pause.words)" : "" }

    private var reasons: String {
        // Causes with the same words for people count as one.
        var reasons: [(words: String, count: Double)] = []
        for cause in causes {
            let words = words(forCause: cause.word)
            if let index = reasons.firstIndex(where: { $0.words == words }) {
                reasons[index].count += cause.count
            } else {
                reasons.append((words, cause.count))
            }
        }
        guard let first = reasons.first else { return "" }
        if reasons.count == 1 { return ": \(first.words)" }
        let parts = reasons.map { reason in
            let count =
                kind == .microphone ? "\(Self.seconds(ofSamples: reason.count)) s" : Self.whole(reason.count)
            return "\(count) because \(reason.words)"
        }
        return ": \(parts.joined(separator: ", "))"
    }

    private func words(forCause word: String) -> String {
        LossCause(rawValue: word).map { LossExplanation($0, isProgram: kind == .program).cause }
            ?? "“\(word)” happened"
    }

    static func whole(_ count: Double) -> String { "\(Int64(rounding: min(count, 1e15)))" }

    private static func percent(_ share: Double) -> String { trimmed((share * 100_000).rounded() / 1000) }

    private static func seconds(ofSamples count: Double) -> String {
        seconds(count / Double(AudioFormat.sessionRate))
    }

    /// Seconds rounded to a hundredth, or to a thousandth below 0.1 s.
    static func seconds(_ value: Double) -> String {
        trimmed(value < 0.1 ? (value * 1000).rounded() / 1000 : (value * 100).rounded() / 100)
    }

    /// The number without a fraction of zero: `8` rather than `8.0`.
    private static func trimmed(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(rounding: value))" : "\(value)"
    }
}
