internal import CMedia
internal import Glibc
import Media

/// Measures loudness and true peak by libebur128.
///
/// The library adds up its last 0.4 s or 3 s of samples whenever it is asked for their loudness. Asked for each tenth of a second once, it
/// adds up each sample once: the mean of the last 4 or 30 energies is that of the longer window.
final class LoudnessMeter: LoudnessMetering {
    private let state: OwnedLoudnessState
    private let peak: TruePeakMeter
    private var clipped: [Float] = []
    /// Energy of each of the last 30 tenths of a second, the newest last; those before the first sample are silent.
    private var energies = [Double](repeating: 0, count: 30)
    /// Number of frames that complete the present tenth of a second.
    private var missing = LoudnessMeter.tenth

    /// Frames in a tenth of a second.
    private static let tenth = AudioFormat.sessionRate / 10
    /// A K-weighted mean square of 1 in decibels (ITU-R BS.1770-4, formula 2).
    private static let offset = -0.691
    /// What is softer, in LUFS, is silence: the filters' answer to the last sound, which never ends.
    private static let least = -120.0

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

    /// Gives samples to the library, with a stop at each tenth of a second.
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
            energies.append(level.map { $0 > Self.least ? pow(10, ($0 - Self.offset) / 10) : 0 } ?? 0)
        }
    }

    /// Loudness of so many of the last tenths of a second; `nil` for silence.
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
