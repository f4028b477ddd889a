internal import Encoding
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Timing

/// How loud a mix becomes: one gain for all of it, and a limiter where its true peaks would be too high. A value, found by
/// listening to the whole mix before it is encoded (EBU R 128).
struct Mastering: Sendable {
    /// Linear gain of the whole mix.
    private let gain: Float
    /// What the limiter leaves of each block, 0…1, where blocks begin and at the end; empty where nothing is limited.
    private let limits: [Float]

    /// The mix as it is, within full scale.
    static let none = Mastering(gain: 1, limits: [])

    /// Highest true peak in dBTP before encoding: a packet of AAC may exceed it by some tenths, and −1 is what may be delivered.
    private static let ceiling = Float(pow(10, -1.4 / 20))
    /// Deviation from the wanted loudness, in LU, from which the gain is corrected.
    private static let tolerance = 0.05
    private static let mostAttempts = 4

    /// Makes a mastering from its parts.
    private init(gain: Float, limits: [Float]) {
        self.gain = gain
        self.limits = limits
    }

    /// Finds the gain and the limits for a loudness; `nil` where `proceed` stopped it.
    ///
    /// - Parameters:
    ///   - target: Integrated loudness in LUFS.
    ///   - end: Index since T0 at which the mix ends.
    ///   - listen: Begins the mix anew.
    ///   - proceed: Told how much of one hearing has passed, 0…1; returns whether to go on.
    /// - Throws: When libebur128 fails.
    init?(
        target: Double, upTo end: Int64, listen: () -> SessionMix, proceed: (Double) -> Bool
    ) throws(EncodingError) {
        func hear(_ take: ([Float]) throws(EncodingError) -> Void) throws(EncodingError) -> Bool {
            let mix = listen()
            let start = mix.position
            while true {
                let samples = mix.next(upTo: end)
                if samples.isEmpty { return true }
                try take(samples)
                let share = Double(mix.position - start) / Double(max(1, end - start))
                guard proceed(share) else { return false }
            }
        }
        func loudness(_ mastering: Mastering?) throws(EncodingError) -> Double?? {
            let meter = try Codecs().makeLoudnessMeter(channels: AudioGrid.mixChannels, name: "mix")
            var place: Int64 = 0
            let isWhole = try hear { samples throws(EncodingError) in
                try meter.add(mastering?.applied(to: samples, at: place) ?? samples)
                place += Int64(samples.count / AudioGrid.mixChannels)
            }
            return isWhole ? .some(meter.loudness.integrated) : nil
        }
        guard let first = try loudness(nil) else { return nil }
        guard let first else {
            // Silence stays silence.
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
            let isWhole = try hear { samples throws(EncodingError) in
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

    /// What a limiter leaves of each block: it has come down when a peak begins, and lets go slowly.
    ///
    /// - Parameter peaks: The true peak of each block; 1 is full scale.
    /// - Returns: One factor for each block and one for the end; none where no peak is too high.
    private static func limits(_ peaks: [Float]) -> [Float] {
        guard peaks.contains(where: { $0 > ceiling }) else { return [] }
        let allowed = peaks.map { min(1, ceiling / max($0, ceiling)) } + [1]
        let (ahead, release) = (4, Float(0.009))  // blocks of 1.3 ms: 5 ms ahead, and some 150 ms to let go
        var held: [Float] = []
        for index in allowed.indices {
            // A peak that is found in a block may be at the end of the block before.
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

    /// The mastered samples, within full scale.
    ///
    /// - Parameters:
    ///   - samples: Left and right, interleaved.
    ///   - place: Index of the first one since the mix began.
    /// - Returns: As many samples.
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
