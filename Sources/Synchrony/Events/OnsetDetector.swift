internal import CMedia
public import Media

/// Finds where claps of hands and beeps begin, in the audio of one microphone.
///
/// An onset rises out of what was before it (three times as high as all of the last 50 ms, and as nine tenths of the last half
/// second), from a tenth to half of its height within 3 ms, and is over within 0.3 s: speech rises slower, goes on, or
/// comes after other speech. Where it began is the first sample above a tenth of its height, or above the noise: to a sample
/// where it is quiet; with noise 20 dB below a beep of 1 kHz some tenths of a millisecond.
///
/// A value: samples come in, onsets go out, each some 0.3 s after it was. Silence, filled holes and cuts need not be told.
public struct OnsetDetector: Sendable {
    /// The 2 ms that levels are compared by.
    private static let blocksPerSecond = 500
    /// 50 ms, and half a second, of blocks.
    private static let quietBlocks = 25
    private static let usualBlocks = 250
    /// An onset may lie so many blocks before the one that is loud: louder comes after the beginning.
    private static let leadBlocks = 2
    /// In how many blocks from the loud one the height is looked for (20 ms): room echoes are later, vowels slower.
    private static let heightBlocks = 10
    /// In how many blocks it must be over (0.3 s), and for how many (20 ms).
    private static let lengthBlocks = 150
    private static let restBlocks = 10
    /// Noise alone does not do that: its highest of 50 ms is four standard deviations, twelve are never.
    private static let leastFactor: Float = 3
    /// −50 dB of full scale: what is softer is not meant to be heard.
    private static let leastHeight: Float = 0.003
    /// Half a period of the lowest beep and of the body of a clap (800 Hz), in seconds.
    private static let halfPeriod = 0.000_6
    private static let longestRise = 0.003

    private let rate: Double
    private let blockLength: Int
    private let refractory: Nanoseconds
    private var start: MediaTime?
    /// Samples that may still be needed, and which of the stream is the first of them: always the first of a block.
    private var samples: [Float] = []
    private var firstKept = 0
    /// The peak of each block, and which of the stream is the first of them.
    private var peaks: [Float] = []
    private var firstPeak = 0
    /// The next block to be judged.
    private var next = 0
    private var lastOnset: MediaTime?

    /// - Parameters:
    ///   - rate: Samples per second by the stream's own time, 8000…192 000: need not be whole where a clock was measured.
    ///   - refractory: How long after an onset none is told: echoes, and the second hand.
    public init(rate: Double, refractory: Nanoseconds = .milliseconds(250)) {
        precondition((1000...1_000_000).contains(rate), "audio has thousands of samples a second")
        self.rate = rate
        self.refractory = refractory
        blockLength = max(1, Int(rate) / Self.blocksPerSecond)
    }

    /// Takes the next samples of one channel, full scale ± 1.
    ///
    /// - Parameters:
    ///   - new: Any number of them. What is no number counts as silence.
    ///   - time: When the first of them was captured. Only the first call's counts: the samples that follow are 1/`rate` apart.
    ///     Where they are not, begin with a new detector.
    /// - Returns: Onsets that are certain now, in order; their times are between those of two samples or a little more.
    public mutating func add(_ new: some Collection<Float>, at time: MediaTime) -> [SharpEvent] {
        if start == nil { start = time }
        samples.append(contentsOf: new)
        measureBlocks()
        var events: [SharpEvent] = []
        while next + Self.heightBlocks + Self.lengthBlocks <= firstPeak + peaks.count {
            if let event = judge(next) { events.append(event) }
            next += 1
        }
        forget()
        return events
    }

    /// The onsets among the last 0.3 s, as if silence followed. Nothing may be added afterwards.
    public mutating func finish() -> [SharpEvent] {
        let count = (Self.heightBlocks + Self.lengthBlocks + 1) * blockLength
        return add(repeatElement(0, count: count), at: start ?? .zero)
    }

    private mutating func measureBlocks() {
        samples.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            while (firstPeak + peaks.count + 1) * blockLength <= firstKept + buffer.count {
                let first = (firstPeak + peaks.count) * blockLength - firstKept
                peaks.append(media_peak(base + first, blockLength))
            }
        }
    }

    /// Drops what no block that is still to be judged can refer to.
    private mutating func forget() {
        let needed = max(0, next - Self.usualBlocks - Self.leadBlocks)
        // In large pieces: taking from the front of an array moves the rest.
        guard needed - firstPeak > 2 * Self.usualBlocks else { return }
        peaks.removeFirst(needed - firstPeak)
        firstPeak = needed
        let kept = max(0, next - Self.leadBlocks - 1) * blockLength
        if kept > firstKept {
            samples.removeFirst(kept - firstKept)
            firstKept = kept
        }
    }

    /// The greatest magnitude in some blocks of the stream that are kept.
    private func peak(_ blocks: Range<Int>) -> Float {
        peaks[(blocks.lowerBound - firstPeak)..<(blocks.upperBound - firstPeak)].max() ?? 0
    }

    /// Whether an onset shows first in this block.
    private mutating func judge(_ block: Int) -> SharpEvent? {
        let before = block - Self.leadBlocks
        // Without what was before nothing can be told to be sudden.
        guard before - Self.quietBlocks >= firstPeak else { return nil }
        let own = peak(block..<block + 1)
        let quiet = peak(before - Self.quietBlocks..<before)
        guard own >= Self.leastHeight, own >= Self.leastFactor * quiet else { return nil }
        let height = peak(block..<block + Self.heightBlocks)
        let threshold =
            Self.leastFactor * max(quiet, usual(before: before), Self.leastHeight / Self.leastFactor)
        guard height.isFinite, height >= threshold, isShort(from: block, height: height),
            let event = onset(in: block, height: height, quiet: quiet, strength: Double(height / threshold)),
            lastOnset.map({ event.earliest.nanoseconds - $0.nanoseconds >= refractory.count }) ?? true
        else { return nil }
        lastOnset = event.earliest
        return event
    }

    /// What nine tenths of the last half second stay below.
    private func usual(before block: Int) -> Float {
        let first = max(firstPeak, block - Self.usualBlocks)
        let sorted = peaks[(first - firstPeak)..<(block - firstPeak)].sorted()
        return sorted[sorted.count * 9 / 10]
    }

    /// Whether the audio comes to rest soon after.
    private func isShort(from block: Int, height: Float) -> Bool {
        var calm = 0
        for peak in peaks[(block - firstPeak)..<(block + Self.heightBlocks + Self.lengthBlocks - firstPeak)] {
            calm = peak < height * 0.3 ? calm + 1 : 0
            if calm == Self.restBlocks { return true }
        }
        return false
    }

    /// Where it begins: back from the first sample of half the height, as long as there is audio above the threshold.
    private func onset(in block: Int, height: Float, quiet: Float, strength: Double) -> SharpEvent? {
        let threshold = max(height / 10, quiet * 1.2)
        let first = (block - Self.leadBlocks) * blockLength - firstKept
        let (gap, longest) = (Int(Self.halfPeriod * rate), Int(Self.longestRise * rate))
        return samples.withUnsafeBufferPointer { buffer -> SharpEvent? in
            guard let base = buffer.baseAddress else { return nil }
            let half = media_first_above(base + first, buffer.count - first, height / 2)
            guard half >= 0 else { return nil }
            let loud = first + half
            var begin = loud
            while true {
                let from = max(0, begin - gap)
                // The first of the samples within half a period that are above.
                let earlier = media_first_above(base + from, begin - from, threshold)
                guard earlier >= 0 else { break }
                begin = from + earlier
                guard loud - begin <= longest, begin > 0 else { return nil }
            }
            // A wave of 1 kHz takes about a quarter of a millisecond to its crest.
            let hidden = Double(threshold / height) * 0.000_25
            return SharpEvent(
                earliest: time(ofSample: Double(firstKept + begin - 1) - hidden * rate),
                latest: time(ofSample: Double(firstKept + begin)), strength: strength)
        }
    }

    private func time(ofSample index: Double) -> MediaTime {
        MediaTime(nanoseconds: (start?.nanoseconds ?? 0) + Nanoseconds.seconds(rounding: index / rate).count)
    }
}
