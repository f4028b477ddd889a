internal import CMedia
internal import Glibc
import Media

/// Measures loudness and true peak by libebur128.
final class LoudnessMeter: LoudnessMetering {
    private let state: OwnedLoudnessState
    private let peak: TruePeakMeter
    private var clipped: [Float] = []

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
                try state.add(taken)
                try peak.add(taken)
            } catch { failure = error }
        }
        if let failure { throw failure }
    }

    var momentary: Double? { state.value(ebur128_loudness_momentary) }

    var loudness: Loudness {
        let integrated = state.value(ebur128_loudness_global)
        return Loudness(
            momentary: momentary, shortTerm: state.value(ebur128_loudness_shortterm),
            integrated: integrated, range: integrated == nil ? nil : state.value(ebur128_loudness_range),
            truePeak: peak.highest > 0 ? 20 * log10(peak.highest) : nil)
    }
}
