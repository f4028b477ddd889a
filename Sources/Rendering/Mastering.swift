internal import FoundationEssentials
internal import Glibc
internal import MulticamEncoding
internal import MulticamMedia
internal import MulticamTiming

/// The loudness processing of a mix, which consists of a constant gain and a true-peak limiter. The
/// parameters are determined by analyzing the complete mix before it is encoded (EBU R 128).
struct Mastering: Sendable {
    /// Linear gain of the complete mix.
    private let gain: Float
    /// Limiter gain (0…1) at the start of each block and at the end of the last block; empty if no limiting
    /// is needed.
    private let limits: [Float]

    /// A mastering that only clips the mix to full scale.
    static let none = Mastering(gain: 1, limits: [])

    /// Maximum true peak before encoding, as a linear amplitude (−1.4 dBTP). AAC encoding can raise peaks by
    /// several tenths of a decibel, and the delivery limit is −1 dBTP.
    private static let ceiling = Float(pow(10, -1.4 / 20))
    /// Maximum deviation from the target loudness in LU. If the deviation is larger, the gain is corrected in
    /// another pass.
    private static let tolerance = 0.05
    private static let mostAttempts = 4

    /// Creates a mastering with a gain and limiter gains.
    private init(gain: Float, limits: [Float]) {
        self.gain = gain
        self.limits = limits
    }

    /// Analyzes a mix and determines the gain and the limiter gains for a target loudness. The result is
    /// `nil` if `proceed` canceled the analysis.
    ///
    /// - Parameters:
    ///   - target: Integrated loudness in LUFS.
    ///   - end: End of the mix, as an index counted from T0.
    ///   - makeMix: Returns a new instance of the mix, positioned at the beginning.
    ///   - proceed: Called with the progress of the current pass, 0…1. The closure returns whether to
    ///     continue.
    /// - Throws: An error if the loudness measurement with libebur128 fails.
    init?(
        target: Double, upTo end: Int64, makeMix: () -> SessionMix, proceed: (Double) -> Bool
    ) throws(EncodingError) {
        func processMix(_ process: ([Float]) throws(EncodingError) -> Void) throws(EncodingError) -> Bool {
            let mix = makeMix()
            let start = mix.position
            while true {
                let samples = mix.next(upTo: end)
                if samples.isEmpty { return true }
                try process(samples)
                let share = Double(mix.position - start) / Double(max(1, end - start))
                guard proceed(share) else { return false }
            }
        }
        func loudness(_ mastering: Mastering?) throws(EncodingError) -> Double?? {
            let meter = try Codecs().makeLoudnessMeter(channels: AudioGrid.mixChannels, name: "mix")
            var place: Int64 = 0
            let isWhole = try processMix { samples throws(EncodingError) in
                try meter.add(mastering?.applied(to: samples, at: place) ?? samples)
                place += Int64(samples.count / AudioGrid.mixChannels)
            }
            return isWhole ? .some(meter.loudness.integrated) : nil
        }
        guard let first = try loudness(nil) else { return nil }
        guard let first else {
            // Silence isn't amplified.
            self = .none
            return
        }
        var decibels = target - first
        var found = Mastering(gain: 1, limits: [])
        for _ in 0..<Self.mostAttempts {
            let gain = Float(pow(10, decibels / 20))
            var peaks: [Float] = []
            let meter = try BlockPeakMeter(channels: AudioGrid.mixChannels, name: "mix")
            var rest: [Float] = []
            let step = BlockPeakMeter.blockLength * AudioGrid.mixChannels
            let isWhole = try processMix { samples throws(EncodingError) in
                rest += samples
                var start = 0
                while rest.count - start >= step {
                    peaks.append(try meter.peak(of: rest[start..<start + step], above: Self.ceiling / gain))
                    start += step
                }
                rest.removeFirst(start)
            }
            guard isWhole else { return nil }
            if !rest.isEmpty { peaks.append(try meter.peak(of: rest[...], above: Self.ceiling / gain)) }
            found = Mastering(gain: gain, limits: Self.limits(peaks.map { $0 * gain }))
            if found.limits.isEmpty { break }
            guard let limited = try loudness(found) else { return nil }
            guard let limited, abs(limited - target) > Self.tolerance else { break }
            decibels += target - limited
        }
        self = found
    }

    /// Returns the limiter gain for each block. The gain is fully reduced when a peak starts, and recovers
    /// slowly after the peak.
    ///
    /// - Parameter peaks: The true peak of each block; 1 is full scale.
    /// - Returns: One gain factor per block and one for the end of the last block; empty if no peak exceeds
    ///   the maximum.
    private static func limits(_ peaks: [Float]) -> [Float] {
        guard peaks.contains(where: { $0 > ceiling }) else { return [] }
        let allowed = peaks.map { min(1, ceiling / max($0, ceiling)) } + [1]
        // For blocks of 1.3 ms, the lookahead is 5 ms, and the release time is about 150 ms.
        let (ahead, release) = (4, Float(0.009))
        var held: [Float] = []
        for index in allowed.indices {
            // A peak that is detected in one block may actually be at the end of the previous block.
            let near = max(0, index - 1)...min(allowed.count - 1, index + ahead + 1)
            let lowest = allowed[near].reduce(1, min)
            let last = held.last ?? lowest
            held.append(min(lowest, last + (1 - last) * release))
        }
        return held.indices.map { index in
            let window = held[max(0, index - ahead + 1)...index]
            return window.reduce(0, +) / Float(window.count)
        }
    }

    /// Returns the mastered samples, clipped to full scale.
    ///
    /// - Parameters:
    ///   - samples: Interleaved left and right samples.
    ///   - place: Index of the first sample relative to the start of the mix.
    /// - Returns: The mastered samples, as many as in `samples`.
    func applied(to samples: [Float], at place: Int64) -> [Float] {
        let block = BlockPeakMeter.blockLength
        return samples.indices.map { index in
            var factor = gain
            if !limits.isEmpty {
                let frame = Int(place) + index / AudioGrid.mixChannels
                let first = min(frame / block, limits.count - 1)
                let second = min(first + 1, limits.count - 1)
                let share = Float(frame % block) / Float(block)
                factor *= limits[first] + (limits[second] - limits[first]) * share
            }
            return min(max(samples[index] * factor, -1), 1)
        }
    }
}
