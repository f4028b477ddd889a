internal import CMedia
internal import Glibc
import Media

/// Measures loudness by libebur128: the one owner of its state.
final class LoudnessMeter: LoudnessMetering {
    private let state: UnsafeMutablePointer<ebur128_state>
    private let name: String
    private let channels: Int
    private var clipped: [Float] = []

    /// A histogram keeps its memory and time constant over hours; it has steps of 0.1 LU.
    private static let mode =
        EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue
        | EBUR128_MODE_HISTOGRAM.rawValue

    init(channels: Int, name: String) throws(EncodingError) {
        guard (1...2).contains(channels),
            let state = ebur128_init(UInt32(channels), UInt(SoundFormat.sessionRate), Int32(Self.mode))
        else {
            throw EncodingError(
                subject: name, operation: "measure loudness",
                reason: "libebur128 takes no \(channels) channels, or memory is short")
        }
        self.state = state
        self.name = name
        self.channels = channels
    }

    deinit {
        var state: UnsafeMutablePointer<ebur128_state>? = state
        ebur128_destroy(&state)
    }

    func add(_ samples: [Float]) throws(EncodingError) {
        let count = samples.count
        if clipped.count < count { clipped = [Float](repeating: 0, count: count) }
        let result = clipped.withUnsafeMutableBufferPointer { clipped in
            samples.withUnsafeBufferPointer { samples in
                media_clip(samples.baseAddress, clipped.baseAddress, count)
            }
            return ebur128_add_frames_float(state, clipped.baseAddress, count / channels)
        }
        guard result == Int32(EBUR128_SUCCESS.rawValue) else {
            throw EncodingError(
                subject: name, operation: "measure loudness", reason: "libebur128 failed with code \(result)")
        }
    }

    var loudness: Loudness {
        var peak = 0.0
        for channel in 0..<UInt32(channels) {
            var value = 0.0
            if ebur128_true_peak(state, channel, &value) == 0 { peak = max(peak, value) }
        }
        let integrated = value(ebur128_loudness_global)
        return Loudness(
            momentary: value(ebur128_loudness_momentary), shortTerm: value(ebur128_loudness_shortterm),
            integrated: integrated, range: integrated == nil ? nil : value(ebur128_loudness_range),
            truePeak: peak > 0 ? 20 * log10(peak) : nil)
    }

    /// What a function of the library says; minus infinity is its word for nothing.
    private func value(
        _ ask: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32
    ) -> Double? {
        var value = 0.0
        return ask(state, &value) == 0 && value.isFinite ? value : nil
    }
}
