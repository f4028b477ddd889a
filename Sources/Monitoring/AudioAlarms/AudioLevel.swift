internal import Glibc
internal import Media

/// The level of a microphone now, as meters show it: linear magnitudes over all its channels, 1 being full scale.
public struct AudioLevel: Sendable, Equatable {
    /// The highest recent sample, linear; 1 is full scale. It falls by 20 dB in 1.7 s, as a programme meter of type I does
    /// (IEC 60268-10). Between samples the audio may be higher: that is `Loudness.truePeak`.
    public private(set) var peak: Float
    /// The root of the mean square, linear, averaged with the 300 ms of a volume indicator (IEC 60268-17).
    public var rootMeanSquare: Float { meanSquare.squareRoot() }

    private var meanSquare: Float = 0

    /// Creates a level with the given peak and a mean square of 0.
    public init(peak: Float = 0) {
        self.peak = peak
    }

    /// A linear magnitude in decibels of full scale; `nil` for zero.
    public static func decibels(_ magnitude: Float) -> Double? {
        magnitude > 0 ? 20 * log10(Double(magnitude)) : nil
    }

    /// Takes a slice of audio.
    ///
    /// - Parameters:
    ///   - highest: The magnitude of the slice's highest sample.
    ///   - squares: The mean of the squares of its samples.
    ///   - duration: The length of the slice.
    mutating func take(highest: Float, squares: Float, lasting duration: Nanoseconds) {
        let seconds = Float(duration.inSeconds)
        peak = max(highest, peak * powf(0.1, seconds / 1.7))
        meanSquare += (squares - meanSquare) * (1 - expf(-seconds / 0.3))
    }
}
