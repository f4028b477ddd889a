internal import CMedia
internal import Media

/// Finds how far audio reaches between its samples too, by libebur128, which makes three of its four points anew (ITU-R
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
    private static let gain = 1.87
    /// Of samples before it, in frames, a point is made: 13 (49 taps in four phases).
    private static let reach = 16
    /// What is passed over or not at once, in frames: so short that of noise, too, most is.
    private static let stretch = 16

    init(channels: Int, name: String) throws(EncodingError) {
        state = try OwnedLoudnessState(.truePeak, channels: channels, name: name)
    }

    /// Takes the next samples, interleaved, each within ±1.
    func add(_ samples: UnsafeBufferPointer<Float>) throws(EncodingError) {
        var start = 0
        // Where what matters began, while it goes on.
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

    /// Gives a part to the library, after what it needs of the frames before.
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
        // Of the last call alone: what lies where the history was patched together is none of the audio's.
        highest = max(highest, state.lastTruePeak)
    }
}
