internal import Media
internal import Monitoring
internal import SessionFolder
internal import Timing

/// The verdict on a run: whether it held, why not, and the limiting part of the system.
public struct StressJudgement: Sendable, Equatable {
    /// Whether the run held.
    public let verdict: StressCertificate.Verdict
    /// The limiting part of the system; `nil` when the run held.
    public let cause: StressCause?
    /// Why the run did not hold, one sentence each, the heaviest first; empty when it held.
    public let reasons: [String]

    /// Judges a recording that ran. The heaviest reason comes first: failures, then absences and losses, then pressure and
    /// clocks.
    public init(_ findings: StressFindings, limits: StressLimits) {
        var reasons: [(cause: StressCause, sentence: String)] = []
        reasons += findings.storageFailures.map { (.disk, $0) }
        reasons += findings.encodingFailures.map { (.processor, $0) }
        // Absences come first because they explain losses.
        reasons += Self.absences(findings.gaps)
        reasons += findings.tracks.compactMap { Self.loss(of: $0, limits) }
        reasons += findings.silences.map { (.device, $0) }
        if limits.isLong {
            if let pressure = findings.pressure, pressure.peak > .serious {
                let worst = pressure.factors.filter { $0.level == pressure.peak }.map(\.text)
                let causes = worst.isEmpty ? "" : ": " + worst.joined(separator: "; ")
                reasons.append((.pressure, "System pressure was \(pressure.peak.rawValue)\(causes)."))
            }
            reasons += findings.unlocked.map {
                (
                    .device,
                    "The clock of \($0) could not be relied on in the end: its time stamps scatter or jump."
                )
            }
        }
        verdict = reasons.isEmpty ? .held : .failed
        let isStorage = !findings.storageFailures.isEmpty || !findings.encodingFailures.isEmpty
        cause =
            isStorage
            ? reasons.first?.cause : Self.heaviest(findings.tracks, limits) ?? reasons.first?.cause
        self.reasons = reasons.map { $0.sentence.printable(limit: 1000) }
    }

    /// Judges a recording that did not start.
    ///
    /// - Parameters:
    ///   - cause: The cause that the error suggests.
    ///   - sentence: What failed, and why.
    ///   - isSilent: Whether a device started and delivered nothing. When the processor was predicted to be overloaded, that is
    ///     the cause.
    ///   - predicted: The prediction for the run.
    public init(
        notStarted cause: StressCause, _ sentence: String, isSilent: Bool = false,
        predicted: StressCertificate.Predicted? = nil
    ) {
        verdict = .notRun
        let processor = predicted?.terms.filter { $0.resource == "cpu" || $0.resource.hasPrefix("thread:") }
        if isSilent, let worst = processor?.map(\.used).max(), worst > 1 {
            self.cause = .processor
            let times = (worst * 10).rounded() / 10
            reasons = [
                "The processor was expected to be needed \(times) times over, so that nothing came through.",
                sentence,
            ].map { $0.printable(limit: 1000) }
        } else {
            self.cause = cause
            reasons = [sentence.printable(limit: 1000)]
        }
    }

    private static func loss(
        of track: StressCertificate.Track, _ limits: StressLimits
    ) -> (StressCause, String)? {
        let share = track.kind == "microphone" ? limits.lostAudioShare : limits.lostShare
        guard track.lostShare > share else { return nil }
        let limit = share == 0 ? "where none may be lost" : "more than \(percent(share)) %"
        guard track.kind != "microphone" else {
            let milliseconds = track.lostInAll * 1000 / Int64(AudioFormat.sessionRate)
            return (.device, "\(track.name) lost \(milliseconds) ms of audio, \(limit).")
        }
        let all = track.captured + track.lostInAll
        let causes = track.lost.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return (
            heaviest([track], limits) ?? .device,
            "\(track.name) lost \(track.lostInAll) of \(all) frames (\(causes)), \(limit)."
        )
    }

    /// The devices that were away or silent, each once.
    private static func absences(_ gaps: [Gap]) -> [(StressCause, String)] {
        // A camera with its own track that is also in the program reports each absence twice.
        let once = gaps.enumerated().filter { index, gap in !gaps[..<index].contains(gap) }.map(\.element)
        return Set(once.map(\.track)).sorted().map { track in
            let own = once.filter { $0.track == track }
            let length = own.reduce(0) { $0 + $1.to.nanoseconds - $1.from.nanoseconds }
            let causes = Set(own.map(\.cause)).sorted().joined(separator: ", ")
            let times = own.count == 1 ? "once" : "\(own.count) times"
            return (
                .device,
                "\(track) was away \(times), for \((Double(length) / 1e8).rounded() / 10) s in all (\(causes))."
            )
        }
    }

    /// The cause of most losses beyond the limit. The program's losses are those of its cameras, and those of its encoder.
    private static func heaviest(_ tracks: [StressCertificate.Track], _ limits: StressLimits) -> StressCause?
    {
        let beyond = tracks.filter { $0.kind != "microphone" && $0.lostShare > limits.lostShare }
        let cameras = beyond.filter { $0.kind == "camera" }
        var counts: [StressCause: Int64] = [:]
        for track in cameras.isEmpty ? beyond : cameras {
            for (word, count) in track.lost {
                guard let cause = LossCause(rawValue: word) else { continue }
                counts[StressCause(cause), default: 0] += count
            }
        }
        if !cameras.isEmpty, let program = beyond.first(where: { $0.kind == "program" }) {
            counts[.processor, default: 0] += program.lost[LossCause.encoder.rawValue] ?? 0
        }
        return StressCause.allCases.max { (counts[$0] ?? 0) < (counts[$1] ?? 0) }
            .flatMap { counts[$0] ?? 0 > 0 ? $0 : nil }
    }

    private static func percent(_ share: Double) -> Double { (share * 1000).rounded() / 10 }
}
