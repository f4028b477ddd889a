internal import CMedia
internal import Media

/// Finds how far sound reaches between its samples too, by libebur128, which makes three of its four points anew (ITU-R
/// BS.1770, annex 2): that costs more than all else that is measured of loudness.
///
/// So only what can matter is given to it: no point between samples is more than `gain` times the highest sample near it, and
/// what cannot reach the peak that was found already is passed over. The result is the same.
final class TruePeakMeter {
    /// The highest magnitude so far; 1 is full scale.
    private(set) var highest = 0.0
    private let state: OwnedLoudnessState
    /// The last frames before what comes next, at most `reach`.
    private var history: [Float] = []
    /// At least the highest sample of the last `reach` frames.
    private var recentPeak: Float = 0
    /// Whether the library has the frames just before those that come next.
    private var isFollowing = true

    /// libebur128 1.2 interpolates by a sinc of 49 taps under a Hann window in four phases; the taps of its middle phase add up to
    /// 1.865 in magnitude.
    private static let gain = 2.0
    /// Of samples before it, in frames, a point is made: 13 (49 taps in four phases).
    private static let reach = 16
    /// What is passed over or not at once: 5 ms, shorter than a period of most voices.
    private static let stretch = 240

    init(channels: Int, name: String) throws(EncodingError) {
        state = try OwnedLoudnessState(.truePeak, channels: channels, name: name)
    }

    /// Takes the next samples, interleaved, each within ±1.
    func add(_ samples: UnsafeBufferPointer<Float>) throws(EncodingError) {
        var start = 0
        while start < samples.count {
            let end = min(start + Self.stretch * state.channels, samples.count)
            try add(samples, start..<end)
            start = end
        }
        history = Array((history + samples.suffix(reachCount)).suffix(reachCount))
    }

    private var reachCount: Int { Self.reach * state.channels }

    private func add(_ samples: UnsafeBufferPointer<Float>, _ part: Range<Int>) throws(EncodingError) {
        let stretch = UnsafeBufferPointer(rebasing: samples[part])
        let peak = media_peak(stretch.baseAddress, stretch.count)
        let near = max(peak, recentPeak)
        recentPeak = part.count >= reachCount ? peak : near
        guard Double(near) * Self.gain > highest else {
            isFollowing = false
            return
        }
        if !isFollowing {
            let before = history + samples[..<part.lowerBound].suffix(reachCount)
            var failure: EncodingError?
            before.suffix(reachCount).withUnsafeBufferPointer { before in
                do throws(EncodingError) { try state.add(before) } catch { failure = error }
            }
            if let failure { throw failure }
        }
        try state.add(stretch)
        isFollowing = true
        // Of the last call alone: what lies where the history was patched together is none of the sound's.
        highest = max(highest, state.lastTruePeak)
    }
}
