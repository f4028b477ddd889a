internal import Foundation
internal import Media

/// How loud a microphone is now, as meters show it: linear magnitudes of all its channels, 1 being full scale.
public struct AudioLevel: Sendable, Equatable {
    /// The highest sample of late. It falls by 20 dB in 1.7 s, as a programme meter of type I does (IEC 60268-10). Between
    /// samples the audio may be higher: that is `Loudness.truePeak`.
    public private(set) var peak: Float
    /// The root of the mean square, averaged with the 300 ms of a volume indicator (IEC 60268-17).
    public var rootMeanSquare: Float { meanSquare.squareRoot() }

    private var meanSquare: Float = 0

    public init(peak: Float = 0) {
        self.peak = peak
    }

    /// Decibels of full scale of a linear magnitude; `nil` for nothing at all.
    public static func decibels(_ magnitude: Float) -> Double? {
        magnitude > 0 ? 20 * log10(Double(magnitude)) : nil
    }

    /// - Parameters:
    ///   - highest: The magnitude of a slice's highest sample.
    ///   - squares: The mean of its samples' squares.
    ///   - duration: Its length.
    mutating func take(highest: Float, squares: Float, lasting duration: Nanoseconds) {
        let seconds = Float(duration.inSeconds)
        peak = max(highest, peak * powf(0.1, seconds / 1.7))
        meanSquare += (squares - meanSquare) * (1 - expf(-seconds / 0.3))
    }
}
