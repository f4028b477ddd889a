internal import CMulticamMedia
package import MulticamMedia

/// Detects the onsets of hand claps and beeps in the audio of one microphone.
///
/// A sound counts as an onset if its level reaches three times the peak of the last 50 ms and three times the
/// 90th percentile of the last half second. The sound must also rise from one tenth to half of its height
/// within 3 ms, and end within 0.3 s. Speech isn't detected, because it rises more slowly, lasts longer, or
/// follows other speech. An onset begins at the first sample above one tenth of the onset's height, or above
/// the noise. In a quiet room, the detected time is accurate to one sample. If the noise is 20 dB below a 1
/// kHz beep, the error is a few tenths of a millisecond.
///
/// The detector is a value type that receives samples and returns each onset about 0.3 s after it began.
/// Silence, filled gaps, and cuts in the audio don't have to be reported to the detector.
package struct OnsetDetector: Sendable {
    /// Number of blocks per second. Levels are compared in blocks of 2 ms.
    private static let blocksPerSecond = 500
    /// Number of blocks in 50 ms.
    private static let quietBlocks = 25
    /// Number of blocks in half a second.
    private static let usualBlocks = 250
    /// Maximum number of blocks from the start of an onset to its first loud block. The distance exists
    /// because an onset starts softly.
    private static let leadBlocks = 2
    /// Number of blocks that determine the height of an onset, starting with the loud block (20 ms). Room
    /// echoes arrive after this time, and vowels rise more slowly.
    private static let heightBlocks = 10
    /// Number of blocks within which the onset must end (0.3 s).
    private static let lengthBlocks = 150
    /// Number of quiet blocks that end an onset (20 ms).
    private static let restBlocks = 10
    /// Minimum ratio of an onset's height to the preceding level, which is too high for noise: within 50 ms,
    /// noise peaks at about four standard deviations, and it almost never reaches three times that value.
    private static let leastFactor: Float = 3
    /// Minimum height of an onset, which is −50 dBFS.
    private static let leastHeight: Float = 0.003
    /// Half a period at 800 Hz, in seconds. The lowest beep has this frequency, and it is the main frequency
    /// of a clap.
    private static let halfPeriod = 0.000_6
    private static let longestRise = 0.003

    private let rate: Double
    private let blockLength: Int
    private let refractory: Nanoseconds
    private var start: MediaTime?
    /// Samples that may still be needed for detection, starting at a block boundary.
    private var samples: [Float] = []
    /// Index in the stream of the first element of `samples`.
    private var firstKept = 0
    /// Peak of each block.
    private var peaks: [Float] = []
    /// Index in the stream of the first block in `peaks`.
    private var firstPeak = 0
    /// Index in the stream of the next block to examine.
    private var next = 0
    private var lastOnset: MediaTime?

    /// Creates a detector for one audio stream.
    ///
    /// - Parameters:
    ///   - rate: Samples per second in the stream's own time, 1000…1,000,000. The rate doesn't have to be an
    ///     integer, because it may be a measured value.
    ///   - refractory: Minimum time between two reported onsets, so that echoes aren't reported as additional onsets.
    package init(rate: Double, refractory: Nanoseconds = .milliseconds(250)) {
        precondition((1000...1_000_000).contains(rate), "the sample rate must be between 1 kHz and 1 MHz")
        self.rate = rate
        self.refractory = refractory
        blockLength = max(1, Int(rate) / Self.blocksPerSecond)
    }

    /// Processes the next samples of one channel. Full scale is ±1.
    ///
    /// - Parameters:
    ///   - new: The next samples, in any number. NaN counts as silence.
    ///   - time: Capture time of the first sample. Only the value of the first call is used, because all
    ///     following samples must be 1/`rate` seconds apart. If the samples aren't contiguous, create a new
    ///     detector.
    /// - Returns: Onsets that are now certain, in chronological order. The range of an onset's possible start
    ///   times is about one sample period long.
    package mutating func add(_ new: some Collection<Float>, at time: MediaTime) -> [SharpEvent] {
        if start == nil { start = time }
        samples.append(contentsOf: new)
        measureBlocks()
        var events: [SharpEvent] = []
        while next + Self.heightBlocks + Self.lengthBlocks <= firstPeak + peaks.count {
            if let event = detectOnset(in: next) { events.append(event) }
            next += 1
        }
        discardOldSamples()
        return events
    }

    /// Returns the onsets in the last 0.3 s, assuming that silence follows. Don't add any samples after this
    /// call.
    package mutating func finish() -> [SharpEvent] {
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

    /// Removes samples and block peaks that are no longer needed.
    private mutating func discardOldSamples() {
        let needed = max(0, next - Self.usualBlocks - Self.leadBlocks)
        // Elements are removed only rarely, because removing elements from the front of an array moves all
        // remaining elements.
        guard needed - firstPeak > 2 * Self.usualBlocks else { return }
        peaks.removeFirst(needed - firstPeak)
        firstPeak = needed
        let kept = max(0, next - Self.leadBlocks - 1) * blockLength
        if kept > firstKept {
            samples.removeFirst(kept - firstKept)
            firstKept = kept
        }
    }

    /// Returns the maximum magnitude in a range of blocks, given by their indices in the stream.
    private func peak(_ blocks: Range<Int>) -> Float {
        peaks[(blocks.lowerBound - firstPeak)..<(blocks.upperBound - firstPeak)].max() ?? 0
    }

    /// Returns the onset that first appears in a block; `nil` if no onset first appears in the block.
    private mutating func detectOnset(in block: Int) -> SharpEvent? {
        let before = block - Self.leadBlocks
        // A sudden rise can't be detected without the preceding audio.
        guard before - Self.quietBlocks >= firstPeak else { return nil }
        let own = peak(block..<block + 1)
        let quiet = peak(before - Self.quietBlocks..<before)
        guard own >= Self.leastHeight, own >= Self.leastFactor * quiet else { return nil }
        let height = peak(block..<block + Self.heightBlocks)
        let threshold =
            Self.leastFactor * max(quiet, usualPeak(before: before), Self.leastHeight / Self.leastFactor)
        guard height.isFinite, height >= threshold, isShort(from: block, height: height),
            let event = onset(in: block, height: height, quiet: quiet, strength: Double(height / threshold)),
            lastOnset.map({ event.earliest.nanoseconds - $0.nanoseconds >= refractory.count }) ?? true
        else { return nil }
        lastOnset = event.earliest
        return event
    }

    /// Returns the 90th percentile of the block peaks in the half second before `block`.
    private func usualPeak(before block: Int) -> Float {
        let first = max(firstPeak, block - Self.usualBlocks)
        let sorted = peaks[(first - firstPeak)..<(block - firstPeak)].sorted()
        return sorted[sorted.count * 9 / 10]
    }

    /// Whether the audio becomes quiet again soon after an onset.
    private func isShort(from block: Int, height: Float) -> Bool {
        var calm = 0
        for peak in peaks[(block - firstPeak)..<(block + Self.heightBlocks + Self.lengthBlocks - firstPeak)] {
            calm = peak < height * 0.3 ? calm + 1 : 0
            if calm == Self.restBlocks { return true }
        }
        return false
    }

    /// Returns the start of an onset. The search runs backward from the first sample at half the onset's
    /// height, while the audio is above the threshold.
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
                // The first sample above the threshold within half a period of the current position.
                let earlier = media_first_above(base + from, begin - from, threshold)
                guard earlier >= 0 else { break }
                begin = from + earlier
                guard loud - begin <= longest, begin > 0 else { return nil }
            }
            // A 1 kHz wave takes about a quarter of a millisecond to reach its peak.
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
