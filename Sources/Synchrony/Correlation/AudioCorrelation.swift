internal import CMedia
internal import Encoding
public import Media

/// How far two microphones that hear the same are apart: generalised cross-correlation with phase transform (C. Knapp,
/// G. Carter, IEEE Trans. ASSP 24, 1976), which rooms and differing microphones hardly harm.
///
/// The window is cut into pieces short enough that drift does not blur them. Their correlations are added up for every drift up
/// to 300 ppm, and the highest sum counts. Chance makes sums of about five standard deviations; a result has at least 20, and
/// no second peak that is nearly as high, as tones and hum have it. Used by one thread alone.
public final class AudioCorrelation {
    /// What was found in one window.
    public struct Peak: Sendable, Equatable {
        /// How much later the second microphone has it, in the middle of the window.
        public let offset: Nanoseconds
        /// The peak's height in standard deviations of everything else.
        public let deviations: Double
        /// The height of the highest other peak, as a share of this one's.
        public let rival: Double

        /// Whether it is more than chance, and the only one.
        public var isCertain: Bool { deviations >= AudioCorrelation.leastDeviations && rival <= 0.7 }
    }

    static let leastDeviations = 20.0
    /// Speech and claps; below is hum, above little that rooms carry.
    private static let band = 150.0...6000.0
    private static let largestDrift = 300e-6
    /// Of drifts that are tried: a sample at the window's ends.
    private static let driftStep = 5e-6
    /// A peak is so wide, in seconds; what is farther off is another.
    private static let peakWidth = 0.000_5
    /// Root mean square below which there is nothing to hear: −90 dB of full scale.
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

    /// - Parameters:
    ///   - rate: Samples per second of both.
    ///   - largestOffset: What is looked for.
    ///   - piece: How long the pieces are. In 1.5 s at 48 kHz audio moves by seven samples at 100 ppm.
    /// - Throws: When memory is short.
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

    /// - Parameters:
    ///   - first: Samples of the reference.
    ///   - second: As many of the other, of the same time.
    /// - Returns: The highest peak, certain or not; `nil` where one is silent or shorter than a piece.
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

    /// The correlation of one piece at the lags that are looked for; `nil` of silence.
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
