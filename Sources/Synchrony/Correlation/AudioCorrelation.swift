internal import CMedia
internal import Encoding
public import Media

/// Measures the offset of two microphones that hear the same: generalised cross-correlation with phase transform (C. Knapp, G.
/// Carter, IEEE Trans. ASSP 24, 1976), which rooms and differing microphones hardly disturb.
///
/// The window is cut into pieces so short that drift does not blur them. Their correlations are summed for every drift up to 300
/// ppm, and the highest sum counts. Chance makes sums of about five standard deviations; a certain result has at least 20, and
/// no second peak that is nearly as high, as tones and hum have it. Only one thread may use an instance.
public final class AudioCorrelation {
    /// The highest peak of the correlation in one window.
    public struct Peak: Sendable, Equatable {
        /// How much later the second microphone has the audio, in the middle of the window.
        public let offset: Nanoseconds
        /// Height of the peak in standard deviations of the correlation outside of it.
        public let deviations: Double
        /// Height of the second highest peak as a share of this one's.
        public let rival: Double

        /// Whether the peak is no chance and the only one: at least 20 standard deviations, and a rival of at most 0.7.
        public var isCertain: Bool { deviations >= AudioCorrelation.leastDeviations && rival <= 0.7 }
    }

    /// Smallest height of a certain peak, in standard deviations.
    static let leastDeviations = 20.0
    /// Band in Hz that is compared, that of speech and claps: below it is hum, and above it rooms carry little.
    private static let band = 150.0...6000.0
    /// Largest drift that is tried, as a share.
    private static let largestDrift = 300e-6
    /// Step between drifts that are tried, as a share: about a sample at the window's ends.
    private static let driftStep = 5e-6
    /// Width of a peak to either side, in seconds; farther off is another peak.
    private static let peakWidth = 0.000_5
    /// Peak of a piece below which it counts as silent: −90 dB of full scale.
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

    /// Prepares the transforms for one rate and range.
    ///
    /// - Parameters:
    ///   - rate: Samples per second of both microphones.
    ///   - largestOffset: Largest offset that is looked for, in either direction.
    ///   - piece: Length of the pieces. In 1.5 s at 48 kHz, 100 ppm of drift move audio by seven samples.
    /// - Throws: `EncodingError` when memory is short.
    public init(
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

    /// Correlates two windows.
    ///
    /// - Parameters:
    ///   - first: Samples of the reference, one channel, full scale ±1.
    ///   - second: Samples of the other microphone for the same time, as many.
    /// - Returns: The highest peak, certain or not; `nil` where a window is silent or shorter than a piece.
    public func peak(of first: [Float], and second: [Float]) -> Peak? {
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

    /// The correlation of one piece for all lags up to the largest offset; `nil` for silence.
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
        // The crest of the parabola through three points.
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
