internal import Media
internal import Timing

/// The losses of one track, by cause.
///
/// Counts are `Double`: a manifest may be read from a file that holds any number, and sums of those must not overflow.
struct TrackLosses {
    /// Kind of a track; its words for people depend on it.
    enum Kind {
        case camera, microphone, program
    }

    let name: String
    let kind: Kind
    /// Lost frames, or lost samples at 48 kHz.
    let lost: Double
    /// Lost and captured frames or samples together.
    let all: Double
    /// The parts of `lost` by the ledger's word for the cause, the largest first. For audio they are lengths of gaps in samples.
    let causes: [(word: String, count: Double)]
    let gaps: [Gap]
    /// Why the track ended before the recording; `nil` where it did not.
    let failure: String?
    let limit: Double?
    /// Total length of the pauses in which the governor stopped the program.
    var pause = Nanoseconds.zero

    /// Takes the track of a camera or of the program. In a recovered recording, frames that the crash took are not blamed on the
    /// disk.
    init(
        _ track: Manifest.Track, _ frames: Manifest.Frames, gaps: [Gap], isRecovered: Bool, limit: Double?
    ) {
        name = track.name
        kind = track.kind == "program" ? .program : .camera
        let counts = frames.lost.mapValues { Double(max($0, 0)) }
        lost = counts.values.reduce(0, +)
        all = Double(max(frames.captured, 0)) + lost
        causes = Self.sorted(counts, isRecovered: isRecovered)
        self.gaps = gaps
        failure = track.failure
        self.limit = limit
    }

    /// Takes the track of a microphone.
    init(
        _ track: Manifest.Track, _ samples: Manifest.Samples, gaps: [Gap], isRecovered: Bool, limit: Double?
    ) {
        name = track.name
        kind = .microphone
        lost = Double(max(samples.filled, 0))
        all = Double(max(samples.written, 0))
        causes = Self.sorted(Self.lengths(of: gaps), isRecovered: isRecovered)
        self.gaps = gaps
        failure = track.failure
        self.limit = limit
    }

    /// Takes a microphone that only the program contains: its losses are known from its gaps.
    init(microphone role: String, gaps: [Gap], duration: Int64, limit: Double?) {
        name = role
        kind = .microphone
        let lengths = Self.lengths(of: gaps)
        lost = lengths.values.reduce(0, +)
        all = max(Self.samples(inNanoseconds: Double(duration)), lost)
        causes = Self.sorted(lengths, isRecovered: false)
        self.gaps = gaps
        failure = nil
        self.limit = limit
    }

    var isComplete: Bool { lost == 0 && gaps.isEmpty && failure == nil }

    /// Share of lost frames or samples: lost ÷ all, 0…1.
    var share: Double { lost == 0 ? 0 : lost / all }

    var exceedsLimit: Bool { limit.map { share > $0 } ?? false }

    /// The explanations of all causes, the most frequent first.
    var explanations: [LossExplanation] {
        causes.compactMap {
            LossCause(rawValue: $0.word).map { LossExplanation($0, isProgram: kind == .program) }
        }
    }

    private static func sorted(
        _ counts: [String: Double], isRecovered: Bool
    ) -> [(word: String, count: Double)] {
        counts.filter { $0.value > 0 && !(isRecovered && $0.key == LossCause.disk.rawValue) }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// Lengths of a microphone's gaps in samples at 48 kHz, by cause. A cause that does not begin with a word of the ledger is a
    /// device's own word for why it was away.
    private static func lengths(of gaps: [Gap]) -> [String: Double] {
        var lengths: [String: Double] = [:]
        for gap in gaps {
            let cause = LossCause(rawValue: String(gap.cause.prefix { $0 != ":" })) ?? .away
            lengths[cause.rawValue, default: 0] += samples(inNanoseconds: gap.length)
        }
        return lengths
    }

    private static func samples(inNanoseconds count: Double) -> Double {
        (count * Double(AudioFormat.sessionRate) / 1e9).rounded()
    }
}

extension Gap {
    /// Length of the gap in nanoseconds; 0 for one that ends before it begins, which only a damaged manifest has.
    package var length: Double { max(Double(to.nanoseconds) - Double(from.nanoseconds), 0) }
}
