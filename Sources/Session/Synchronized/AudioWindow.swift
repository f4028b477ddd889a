internal import Timing

/// Keeps a microphone's aligned samples until a synchronised output's tick takes them. Timeline's thread only.
final class AudioWindow {
    private let channels: Int
    /// The index of the first sample that is kept.
    private var position: Int64 = 0
    private var samples: [Float] = []
    private var missing: [MissingAudio] = []

    init(channels: Int) {
        self.channels = channels
    }

    /// The index after the last sample.
    var end: Int64 { position + Int64(samples.count / channels) }

    /// Appends the microphone's next samples, interleaved, with the stretches of them that are missing.
    func append(_ samples: [Float], missing: [MissingAudio]) {
        self.samples += samples
        self.missing += missing
    }

    /// Hands over the samples before an index, or as many of them as there are.
    func take(upTo wanted: Int64) -> SynchronizedAudio {
        let first = position
        let limit = max(min(wanted, end), first)
        let taken = Array(samples.prefix(Int(limit - first) * channels))
        samples.removeFirst(taken.count)
        position = limit
        let within = Self.parts(of: missing, in: first..<limit)
        missing = Self.parts(of: missing, in: limit..<max(end, limit))
        return SynchronizedAudio(firstSample: first, channels: channels, samples: taken, missing: within)
    }

    private static func parts(of missing: [MissingAudio], in range: Range<Int64>) -> [MissingAudio] {
        missing.compactMap { stretch in
            let part = stretch.samples.clamped(to: range)
            return part.isEmpty ? nil : MissingAudio(samples: part, cause: stretch.cause)
        }
    }
}
