public import FoundationEssentials
public import Media
internal import Monitoring
internal import Session

extension StressCertificate {
    /// Draws the conclusions from the runs so far: verdict, summary, environment.
    ///
    /// - Parameters:
    ///   - outcome: Whether the test is running, finished or stopped.
    ///   - duration: The time since the test began.
    public mutating func conclude(_ outcome: Outcome, duration: Nanoseconds) {
        self.outcome = outcome
        duration_ns = duration.count
        let decisive = runs.filter(\.is_profile)
        let failed = decisive.first { !$0.verdict.isHeld }
        verdict = decisive.isEmpty ? nil : failed == nil ? .held : .failed
        noteEnvironment()
        summary =
            [headline(failed: failed, decisive: decisive), setsSentence, climbSentence, soakSentence]
            .compactMap { $0 } + environmentSentences
        if outcome == .stopped { summary.append("The test was stopped before all was tried.") }
        summary = summary.map { $0.printable(limit: 1000) }
    }

    /// Formats a date for certificates and manifests: ISO 8601 with nanoseconds and the local zone's offset.
    public static func timeStamp(_ date: Date) -> String { ManifestBuilder.timeStamp(date) }

    private mutating func noteEnvironment() {
        for run in runs {
            guard let measured = run.measured else { continue }
            if let peak = measured.pressure_peak {
                environment.pressure_peak = max(environment.pressure_peak ?? .nominal, peak)
            }
            if let temperature = measured.temperature {
                environment.temperature?.include(temperature)
                environment.temperature = environment.temperature ?? temperature
            }
        }
    }

    // MARK: Sentences

    private func headline(failed: Run?, decisive: [Run]) -> String {
        let name = "“\(profile)”"
        if let failed {
            let why = failed.reasons.first ?? "no reason is known."
            let what = failed.verdict == .notRun ? "does not start" : "did not hold"
            return "\(name) \(what): \(failed.cause?.words ?? "something") gave. \(why)"
        }
        guard let longest = decisive.max(by: { $0.duration_ns < $1.duration_ns }) else {
            return "\(name) was not tried to the end: nothing is known of it."
        }
        let count = longest.cameras.count
        let cameras = count == 1 ? "its camera" : "all \(count) cameras together"
        return
            "\(name) held: it ran \(cameras) as asked for \(Self.length(longest.duration_ns)), \(lossWords(longest))."
    }

    private func lossWords(_ run: Run) -> String {
        let lost = run.tracks.filter { $0.kind != "microphone" }.map(\.lostInAll).reduce(0, +)
        return lost == 0
            ? "without losing a frame"
            : "with \(lost) lost frames, within the limit of \(asked.lost_limit * 100) %"
    }

    private var setsSentence: String? {
        guard let sets, !sets.runs.isEmpty else { return nil }
        let held = sets.runs.count { $0.verdict.isHeld }
        let all = sets.runs.count
        if held == all { return "All \(all) sets of cameras and formats that were tried ran." }
        return "\(held) of \(all) sets of cameras and formats that were tried ran; \(all - held) did not."
    }

    private var climbSentence: String? {
        guard let climb, climb.runs.contains(where: { $0.step ?? 0 > 0 }) else { return nil }
        let top = climb.runs.last { $0.step == climb.highest && $0.verdict.isHeld }
        let height =
            top.map { "it held up to \($0.cameras.map(\.description).joined(separator: ", "))" }
            ?? "not even the lowest formats held"
        guard let gave = climb.gave else {
            return climb.highest == nil
                ? nil
                : outcome == .finished
                    ? "Climbing, \(height): nothing gave." : "Climbing, \(height) when it was stopped."
        }
        return "Climbing, \(height); \(gave.cause.words) gave first, at step \(gave.step): \(gave.change)."
    }

    private var soakSentence: String? {
        guard let soak else { return nil }
        let length = Self.length(soak.duration_ns)
        switch soak.verdict {
        case .held: return "The soak held for \(length), \(lossWords(soak))."
        case .failed: return "The soak did not hold in \(length): \(soak.reasons.first ?? "")"
        case .notRun: return "The soak did not start: \(soak.reasons.first ?? "")"
        }
    }

    private var environmentSentences: [String] {
        var parts: [String] = []
        if let peak = environment.pressure_peak { parts.append("System pressure peaked at \(peak.rawValue)") }
        if let range = environment.temperature {
            parts.append(
                "temperatures were \(Int(rounding: range.lowest)) to \(Int(rounding: range.highest)) °C")
        }
        return parts.isEmpty ? [] : [parts.joined(separator: ", ") + "."]
    }

    /// Formats a duration in nanoseconds for people: `5 s`, `1:30:00 h`.
    static func length(_ nanoseconds: Int64) -> String {
        let seconds = Int(rounding: Double(nanoseconds) / 1e9)
        guard seconds >= 60 else {
            let tenths = (Double(nanoseconds) / 1e8).rounded() / 10
            return tenths == tenths.rounded() ? "\(Int64(rounding: tenths)) s" : "\(tenths) s"
        }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(minutes.padded(2)):\((seconds % 60).padded(2)) h"
            : "\(minutes):\((seconds % 60).padded(2)) min"
    }
}
