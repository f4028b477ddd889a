internal import CMedia
internal import Media

/// Finds the true peak of audio, between its samples too, by libebur128, which interpolates three points between
/// samples (ITU-R BS.1770, annex 2). That costs more than all other loudness measures together.
///
/// So only audio that can matter is given to the library: no point between samples is more than `gain` times the
/// highest sample near it, and audio that cannot exceed the peak found so far is passed over. The result is the same.
final class TruePeakMeter {
    /// Highest magnitude so far; 1 is full scale.
    private(set) var highest = 0.0
    private let state: OwnedLoudnessState
    /// The last `reach` frames, or fewer, before the next ones, interleaved.
    private var history: [Float] = []
    /// Upper bound of the highest sample magnitude in the last `reach` frames.
    private var recentPeak: Float = 0
    /// Whether the library has been given the frames just before the next ones.
    private var isFollowing = true

    /// Upper bound of a true peak relative to the highest sample near it. libebur128 1.2 interpolates by a sinc of 49
    /// taps under a Hann window in four phases; the taps of its middle phase add up to 1.865 in magnitude.
    static let gain = 1.87
    /// Number of frames before a point that determine it, rounded up: 13 (49 taps in four phases).
    static let reach = 16
    /// Number of frames that are passed over or given to the library at once: so few that most noise, too, is passed
    /// over.
    private static let stretch = 16

    init(channels: Int, name: String) throws(EncodingError) {
        state = try OwnedLoudnessState(.truePeak, channels: channels, name: name)
    }

    /// Adds the next samples, interleaved, each within ±1.
    func add(_ samples: UnsafeBufferPointer<Float>) throws(EncodingError) {
        var start = 0
        // Start of the present run of samples that matter.
        var begin: Int?
        while start < samples.count {
            let end = min(start + Self.stretch * state.channels, samples.count)
            if matters(samples, start..<end) {
                begin = begin ?? start
            } else {
                if let begin { try give(samples, begin..<start) }
                (begin, isFollowing) = (nil, false)
            }
            start = end
        }
        if let begin { try give(samples, begin..<samples.count) }
        history.append(contentsOf: samples[max(samples.count - reachCount, 0)...])
        history.removeFirst(max(history.count - reachCount, 0))
    }

    private var reachCount: Int { Self.reach * state.channels }

    /// Whether some point in a part, or up to its end, may be higher than all before.
    private func matters(_ samples: UnsafeBufferPointer<Float>, _ part: Range<Int>) -> Bool {
        let stretch = UnsafeBufferPointer(rebasing: samples[part])
        let peak = media_peak(stretch.baseAddress, stretch.count)
        let near = max(peak, recentPeak)
        recentPeak = part.count >= reachCount ? peak : near
        return Double(near) * Self.gain > highest
    }

    /// Gives a part to the library, after the frames before it that its first points depend on.
    private func give(_ samples: UnsafeBufferPointer<Float>, _ part: Range<Int>) throws(EncodingError) {
        if !isFollowing {
            let missing = reachCount - part.lowerBound
            if missing > 0 {
                let start = max(history.count - missing, 0)
                var failure: EncodingError?
                history.withUnsafeBufferPointer { history in
                    let last = UnsafeBufferPointer(rebasing: history[start...])
                    do throws(EncodingError) { try state.add(last) } catch { failure = error }
                }
                if let failure { throw failure }
            }
            let near = max(part.lowerBound - reachCount, 0)..<part.lowerBound
            try state.add(UnsafeBufferPointer(rebasing: samples[near]))
        }
        try state.add(UnsafeBufferPointer(rebasing: samples[part]))
        isFollowing = true
        // Only the last call counts: points where the history was joined are not in the audio.
        highest = max(highest, state.lastTruePeak)
    }
}
