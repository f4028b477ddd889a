internal import CMulticamMedia
internal import Glibc
package import MulticamMedia

/// Measures loudness and true peak with libebur128.
///
/// For each loudness query, libebur128 sums the last 0.4 s or 3 s of samples. This meter instead queries the
/// energy of each tenth of a second, so that each sample is summed only once. The mean of the last 4 or 30
/// energies equals the energy of the longer window.
final class LoudnessMeter: LoudnessMetering {
    private let state: OwnedLoudnessState
    private let peak: TruePeakMeter
    private var clipped: [Float] = []
    /// Energy of each of the last 30 tenths of a second, newest last. Intervals before the first sample are silent.
    private var energies = [Double](repeating: 0, count: 30)
    /// Number of frames that are missing from the current tenth of a second.
    private var missing = LoudnessMeter.tenth

    /// Number of frames in a tenth of a second.
    private static let tenth = AudioFormat.sessionRate / 10
    /// Loudness of a K-weighted mean square of 1, in decibels (ITU-R BS.1770-4, formula 2).
    private static let offset = -0.691
    /// Loudness in LUFS below which audio counts as silent. The threshold is needed because the filters'
    /// response to the last sound decays but never reaches zero.
    private static let silenceThreshold = -120.0

    init(channels: Int, name: String) throws(EncodingError) {
        state = try OwnedLoudnessState(.loudness, channels: channels, name: name)
        peak = try TruePeakMeter(channels: channels, name: name)
    }

    func add(_ samples: [Float]) throws(EncodingError) {
        let count = samples.count
        if clipped.count < count { clipped = [Float](repeating: 0, count: count) }
        var failure: EncodingError?
        clipped.withUnsafeMutableBufferPointer { clipped in
            samples.withUnsafeBufferPointer { media_clip($0.baseAddress, clipped.baseAddress, count) }
            let taken = UnsafeBufferPointer(rebasing: clipped[..<count])
            do throws(EncodingError) {
                try measure(taken)
                try peak.add(taken)
            } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Passes samples to the library in parts that end at each tenth of a second.
    private func measure(_ samples: UnsafeBufferPointer<Float>) throws(EncodingError) {
        var rest = samples[...]
        while !rest.isEmpty {
            let next = rest.prefix(missing * state.channels)
            try state.add(UnsafeBufferPointer(rebasing: next))
            rest = rest.dropFirst(next.count)
            missing -= next.count / state.channels
            guard missing == 0 else { continue }
            missing = Self.tenth
            let level = state.value { ebur128_loudness_window($0, 100, $1) }
            energies.removeFirst()
            energies.append(
                level.map { $0 > Self.silenceThreshold ? pow(10, ($0 - Self.offset) / 10) : 0 } ?? 0)
        }
    }

    /// Returns the loudness of the last `count` tenths of a second; `nil` for silence.
    private func loudness(ofLast count: Int) -> Double? {
        let energy = energies.suffix(count).reduce(0, +) / Double(count)
        return energy > 0 ? 10 * log10(energy) + Self.offset : nil
    }

    var momentary: Double? { loudness(ofLast: 4) }

    var loudness: Loudness {
        let integrated = state.value(ebur128_loudness_global)
        return Loudness(
            momentary: momentary, shortTerm: loudness(ofLast: 30),
            integrated: integrated, range: integrated == nil ? nil : state.value(ebur128_loudness_range),
            truePeak: peak.highest > 0 ? 20 * log10(peak.highest) : nil)
    }
}

/// Measures the true peak of audio with libebur128, which includes peaks between samples. The library
/// interpolates three points between samples (ITU-R BS.1770, annex 2), which costs more than all other
/// loudness measures together.
///
/// Only audio that can affect the result is passed to the library. An interpolated value never exceeds `gain`
/// times the highest nearby sample, so audio that can't exceed the current peak is skipped without changing
/// the result.
final class TruePeakMeter {
    /// Highest signal magnitude so far; 1 is full scale.
    private(set) var highest = 0.0
    private let state: OwnedLoudnessState
    /// Interleaved samples of the frames immediately before the next input: at most `reach` frames.
    private var history: [Float] = []
    /// Upper bound on the highest sample magnitude in the last `reach` frames.
    private var recentPeak: Float = 0
    /// Whether the library has already received the frames immediately before the next input.
    private var isContiguous = true

    /// Upper bound on the ratio of a true peak to the highest nearby sample. libebur128 1.2 interpolates with
    /// a Hann-windowed sinc filter of 49 taps in four phases. The absolute values of the middle phase's taps
    /// add up to 1.865.
    static let gain = 1.87
    /// Number of preceding frames that affect an interpolated value, rounded up from 13 (49 taps in four
    /// phases).
    static let reach = 16
    /// Number of frames that are skipped or passed to the library at once. With such short runs of frames,
    /// most background noise can also be skipped.
    private static let chunkLength = 16

    init(channels: Int, name: String) throws(EncodingError) {
        state = try OwnedLoudnessState(.truePeak, channels: channels, name: name)
    }

    /// Adds the next samples: interleaved, within ±1.
    func add(_ samples: UnsafeBufferPointer<Float>) throws(EncodingError) {
        var start = 0
        // Start of the current run of relevant samples.
        var begin: Int?
        while start < samples.count {
            let end = min(start + Self.chunkLength * state.channels, samples.count)
            if canRaisePeak(samples, start..<end) {
                begin = begin ?? start
            } else {
                if let begin { try submit(samples, begin..<start) }
                (begin, isContiguous) = (nil, false)
            }
            start = end
        }
        if let begin { try submit(samples, begin..<samples.count) }
        history.append(contentsOf: samples[max(samples.count - reachCount, 0)...])
        history.removeFirst(max(history.count - reachCount, 0))
    }

    private var reachCount: Int { Self.reach * state.channels }

    /// Whether any interpolated value up to the end of this part of the samples may exceed the current peak.
    private func canRaisePeak(_ samples: UnsafeBufferPointer<Float>, _ part: Range<Int>) -> Bool {
        let stretch = UnsafeBufferPointer(rebasing: samples[part])
        let peak = media_peak(stretch.baseAddress, stretch.count)
        let near = max(peak, recentPeak)
        recentPeak = part.count >= reachCount ? peak : near
        return Double(near) * Self.gain > highest
    }

    /// Passes a part of the samples to the library, preceded by the frames that affect its first interpolated
    /// values.
    private func submit(_ samples: UnsafeBufferPointer<Float>, _ part: Range<Int>) throws(EncodingError) {
        if !isContiguous {
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
        isContiguous = true
        // Only the result of the library's last call is used. Interpolated values at the join with the
        // history aren't part of the audio.
        highest = max(highest, state.lastTruePeak)
    }
}

/// Measures the true peak of each audio block with libebur128, which includes peaks between samples (ITU-R
/// BS.1770, annex 2). Not thread-safe: use it from one thread only.
///
/// Interpolation costs far more than all other audio processing, so a block isn't interpolated if its peak is
/// certainly below the caller's threshold.
package final class BlockPeakMeter {
    /// Number of frames in a block. A measured peak may lie in the previous block, because the last samples
    /// of that block affect this one.
    package static let blockLength = 64

    private let state: OwnedLoudnessState
    /// The frames immediately before the next block, interleaved.
    private var history: [Float]

    /// Creates a true peak meter for audio blocks.
    ///
    /// - Parameters:
    ///   - channels: Number of channels, 1 to 8.
    ///   - name: Name of the track, used in messages.
    /// - Throws: An error if `channels` is out of range, or memory allocation fails.
    package init(channels: Int, name: String) throws(EncodingError) {
        state = try OwnedLoudnessState(.truePeak, channels: channels, name: name)
        history = Array(repeating: 0, count: TruePeakMeter.reach * channels)
    }

    /// Measures the true peak of the next block.
    ///
    /// - Parameters:
    ///   - block: Interleaved samples, an integral number of frames.
    ///   - floor: Threshold below which peaks don't need to be exact; 1 is full scale.
    /// - Returns: The true peak if it exceeds `floor`; otherwise, some value that doesn't exceed `floor`.
    /// - Throws: An error if libebur128 fails.
    package func peak(of block: ArraySlice<Float>, above floor: Float) throws(EncodingError) -> Float {
        let samples = history + block
        history = Array(samples.suffix(history.count))
        let highest = samples.withUnsafeBufferPointer { media_peak($0.baseAddress, $0.count) }
        guard highest * Float(TruePeakMeter.gain) > floor else { return 0 }
        var failure: EncodingError?
        samples.withUnsafeBufferPointer { samples in
            do throws(EncodingError) {
                // The interpolator contains unrelated samples until the history has passed through it.
                let reach = samples.count - block.count
                try state.add(UnsafeBufferPointer(rebasing: samples[..<reach]))
                try state.add(UnsafeBufferPointer(rebasing: samples[reach...]))
            } catch { failure = error }
        }
        if let failure { throw failure }
        return Float(state.lastTruePeak)
    }
}

/// An `ebur128_state` with exactly one owner, at the session's sample rate.
final class OwnedLoudnessState {
    enum Purpose {
        /// The loudness range, and the momentary, short-term, and integrated loudness. A histogram with 0.1
        /// LU steps keeps memory use and CPU time constant, even over hours.
        case loudness
        case truePeak
    }

    let channels: Int
    private let state: UnsafeMutablePointer<ebur128_state>
    private let name: String

    /// Creates a libebur128 state.
    ///
    /// - Parameters:
    ///   - purpose: The measures that the state computes.
    ///   - channels: Number of channels, 1 to 8. All channels have the same weight, because a microphone's
    ///     channels don't have speaker positions. For surround audio, ITU-R BS.1770 instead increases the
    ///     weight of some channels and ignores one.
    ///   - name: Name of the track, used in messages.
    /// - Throws: An error if `channels` is out of range, or memory allocation fails.
    init(_ purpose: Purpose, channels: Int, name: String) throws(EncodingError) {
        guard (1...8).contains(channels),
            let state = ebur128_init(UInt32(channels), UInt(AudioFormat.sessionRate), Int32(purpose.mode))
        else {
            throw EncodingError(
                subject: name, operation: "measuring loudness",
                reason: "\(channels) channels are not supported (1 to 8), or the system is out of memory")
        }
        for channel in 0..<UInt32(channels) {
            // The left and right channels have the same weight. The library ignores channels without a
            // speaker position.
            let place = channel % 2 == 0 ? EBUR128_LEFT : EBUR128_RIGHT
            guard
                ebur128_set_channel(state, channel, Int32(place.rawValue)) == Int32(EBUR128_SUCCESS.rawValue)
            else {
                var state: UnsafeMutablePointer<ebur128_state>? = state
                ebur128_destroy(&state)
                throw EncodingError(
                    subject: name, operation: "measuring loudness",
                    reason: "libebur128 does not support channel \(channel) of \(channels)")
            }
        }
        self.state = state
        self.channels = channels
        self.name = name
    }

    deinit {
        var state: UnsafeMutablePointer<ebur128_state>? = state
        ebur128_destroy(&state)
    }

    /// Adds samples to the measurement.
    ///
    /// - Parameter samples: Interleaved samples, an integral number of frames.
    /// - Throws: An error if libebur128 fails.
    func add(_ samples: UnsafeBufferPointer<Float>) throws(EncodingError) {
        let result = ebur128_add_frames_float(state, samples.baseAddress, samples.count / channels)
        guard result == Int32(EBUR128_SUCCESS.rawValue) else {
            throw EncodingError(
                subject: name, operation: "measuring loudness",
                reason: "libebur128 failed with code \(result)")
        }
    }

    /// Highest true peak of all channels in the samples of the last call; 1 is full scale.
    var lastTruePeak: Double { highest(ebur128_prev_true_peak) }
    /// Highest true peak of all channels in all samples; 1 is full scale.
    var truePeak: Double { highest(ebur128_true_peak) }

    /// Calls a library function that measures all channels. Returns `nil` if the function fails, or if the
    /// result is minus infinity, which means that there is no signal.
    func value(
        _ ask: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32
    ) -> Double? {
        var value = 0.0
        return ask(state, &value) == 0 && value.isFinite ? value : nil
    }

    private func highest(
        _ ask: (UnsafeMutablePointer<ebur128_state>?, UInt32, UnsafeMutablePointer<Double>?) -> Int32
    ) -> Double {
        (0..<UInt32(channels)).compactMap { channel in value { ask($0, channel, $1) } }.max() ?? 0
    }
}

extension OwnedLoudnessState.Purpose {
    /// The libebur128 mode flags that select the measures.
    fileprivate var mode: UInt32 {
        switch self {
        case .loudness:
            EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue | EBUR128_MODE_HISTOGRAM.rawValue
        case .truePeak: EBUR128_MODE_TRUE_PEAK.rawValue
        }
    }
}
