internal import CMulticamMedia
internal import MulticamEncoding
package import MulticamMedia

/// Measures the offset between two microphones that pick up the same sound. The method is generalized
/// cross-correlation with phase transform (Knapp and Carter, IEEE Transactions on ASSP 24, 1976), which is
/// robust against room acoustics and differences between microphones.
///
/// The audio window is divided into pieces that are so short that clock drift doesn't blur their
/// correlations. For every drift up to 300 ppm, the correlations of the pieces are summed, and the highest
/// sum is used. For unrelated audio, the highest sum is about five standard deviations. A result counts as
/// certain if it reaches at least 20 standard deviations and there is no second peak of nearly the same
/// height, as tones and hum would cause. Not thread-safe: use it from one thread only.
package final class AudioCorrelation {
    /// The highest peak of the correlation in one window.
    package struct Peak: Sendable, Equatable {
        /// Delay of the audio in the second microphone, in the middle of the window.
        package let offset: Nanoseconds
        /// Height of the peak in standard deviations of the correlation outside the peak.
        package let deviations: Double
        /// Height of the second-highest peak, as a fraction of the highest peak.
        package let rival: Double

        /// Whether the peak is neither random nor ambiguous: it is at least 20 standard deviations high, and
        /// the second-highest peak has at most 0.7 times its height.
        package var isCertain: Bool { deviations >= AudioCorrelation.leastDeviations && rival <= 0.7 }
    }

    /// Minimum height of a certain peak, in standard deviations.
    static let leastDeviations = 20.0
    /// Frequency band in Hz used for the comparison, which covers speech and claps. Lower frequencies contain
    /// hum, and rooms absorb most of the sound at higher frequencies.
    private static let band = 150.0...6000.0
    /// Maximum clock drift that the correlation searches, as a ratio.
    private static let largestDrift = 300e-6
    /// Step between consecutive drift values, as a ratio. One step shifts the ends of the window by about one
    /// sample.
    private static let driftStep = 5e-6
    /// Half the width of a correlation peak, in seconds. Values farther from the maximum belong to another
    /// peak.
    private static let peakWidth = 0.000_5
    /// Peak amplitude below which a piece of audio counts as silent (−90 dBFS).
    private static let silence: Float = 3e-5

    private let rate: Double
    private let pieceSeconds: Double
    private let reach: Int
    private let length: Int
    private let pieceLength: Int
    private let forward: FourierTransform
    private let inverse: FourierTransform
    private var input: [Float]
    private var output: [Float]

    /// Prepares correlations for one sample rate and one range of offsets.
    ///
    /// - Parameters:
    ///   - rate: Samples per second of both microphones.
    ///   - largestOffset: Maximum offset to search, in either direction.
    ///   - piece: Length of the pieces into which a window is divided. In a piece of 1.5 s at 48 kHz, a drift
    ///     of 100 ppm shifts the audio by seven samples.
    /// - Throws: `EncodingError` if memory allocation fails.
    package init(
        rate: Double, largestOffset: Nanoseconds = .milliseconds(500),
        piece: Nanoseconds = .milliseconds(1500)
    ) throws(EncodingError) {
        self.rate = rate
        pieceSeconds = piece.inSeconds
        reach = Int(largestOffset.inSeconds * rate)
        pieceLength = Int(pieceSeconds * rate)
        var length = 2
        while length < pieceLength + reach { length *= 2 }
        self.length = length
        forward = try FourierTransform(length: length, .forward)
        inverse = try FourierTransform(length: length, .inverse)
        input = Array(repeating: 0, count: 2 * length)
        output = input
    }

    /// Correlates two windows of audio.
    ///
    /// - Parameters:
    ///   - first: Samples of one channel of the reference microphone; full scale is ±1.
    ///   - second: Samples of the other microphone from the same period, as many as in `first`.
    /// - Returns: The highest peak, even if it isn't certain; `nil` if a window is silent or shorter than a
    ///   piece.
    package func peak(of first: [Float], and second: [Float]) -> Peak? {
        let count = min(first.count, second.count)
        guard count >= pieceLength else { return nil }
        var pieces: [(center: Double, lags: [Float])] = []
        for start in stride(from: 0, through: count - pieceLength, by: pieceLength / 2) {
            guard let lags = lags(first, second, from: start) else { continue }
            pieces.append(((Double(start) + Double(pieceLength - count) / 2), lags))
        }
        guard !pieces.isEmpty else { return nil }
        let length = Double(count) / rate
        var best: (height: Float, sum: [Float])?
        let steps = length < 2 * pieceSeconds ? 0 : Int(Self.largestDrift / Self.driftStep)
        for step in -steps...steps {
            let sum = sum(pieces, drift: Double(step) * Self.driftStep)
            let height = sum[media_highest(sum, sum.count)]
            if best.map({ height > $0.height }) ?? true { best = (height, sum) }
        }
        return best.flatMap { peak(in: $0.sum) }
    }

    /// Returns the correlation of one piece of audio for all lags up to the maximum offset; `nil` if the
    /// piece is silent.
    private func lags(_ first: [Float], _ second: [Float], from start: Int) -> [Float]? {
        for index in 2 * pieceLength..<2 * length { input[index] = 0 }
        var (loud, loudSecond): (Float, Float) = (0, 0)
        first.withUnsafeBufferPointer { a in
            second.withUnsafeBufferPointer { b in
                guard let a = a.baseAddress, let b = b.baseAddress else { return }
                loud = media_peak(a + start, pieceLength)
                loudSecond = media_peak(b + start, pieceLength)
                media_pack_windowed(a + start, b + start, &input, pieceLength)
            }
        }
        guard min(loud, loudSecond) >= Self.silence else { return nil }
        forward.transform(&input, into: &output)
        let bin = Double(length) / rate
        let last = min(Self.band.upperBound, rate * 0.45)
        media_cross_phase(output, &input, length, Int(Self.band.lowerBound * bin), Int(last * bin))
        inverse.transform(&input, into: &output)
        var lags = [Float](repeating: 0, count: 2 * reach + 1)
        media_take_lags(output, &lags, length, reach)
        return lags
    }

    private func sum(_ pieces: [(center: Double, lags: [Float])], drift: Double) -> [Float] {
        var sum = [Float](repeating: 0, count: 2 * reach + 1)
        for piece in pieces {
            media_add_shifted(piece.lags, &sum, sum.count, Int(rounding: piece.center * drift))
        }
        return sum
    }

    private func peak(in sum: [Float]) -> Peak? {
        let place = media_highest(sum, sum.count)
        let width = Int(Self.peakWidth * rate)
        let near = max(0, place - width)..<min(sum.count, place + width + 1)
        let others = sum.count - near.count
        guard place > 0, place < sum.count - 1, others > 0 else { return nil }
        let (left, right) = (Array(sum[..<near.lowerBound]), Array(sum[near.upperBound...]))
        let squares = media_sum_of_squares(left, left.count) + media_sum_of_squares(right, right.count)
        guard squares > 0 else { return nil }
        let rival = max(Self.greatest(of: left), Self.greatest(of: right))
        let (before, height, after) = (Double(sum[place - 1]), Double(sum[place]), Double(sum[place + 1]))
        // The position of the peak is the vertex of the parabola through three points.
        let bend = before - 2 * height + after
        let fraction = bend < 0 ? (before - after) / bend / 2 : 0
        return Peak(
            offset: .seconds(rounding: (Double(place - reach) + fraction) / rate),
            deviations: height / (squares / Double(others)).squareRoot(),
            rival: Double(rival) / height)
    }

    private static func greatest(of values: [Float]) -> Float {
        values.isEmpty ? 0 : values[media_highest(values, values.count)]
    }
}
