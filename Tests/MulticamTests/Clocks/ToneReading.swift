import Foundation

/// Analysis of a recorded tone of about 1 kHz at 48 kHz, in windows of 50 ms.
///
/// Each window is fitted with a sine (frequency, amplitude, and phase by least squares). The residue is
/// distortion, noise, and clicks. It also contains any change of pitch within the window: 20 ppm per second
/// are −98 dB. The frequency over longer stretches is the slope of the windows' phases.
struct ToneReading {
    struct Window {
        /// Phase of the fitted sine at the window's center, in turns relative to a tone of exactly 1 kHz,
        /// without wrapping.
        let turns: Double
        /// Power of the residue, in dB relative to the tone (THD+N).
        let residue: Double
        /// Largest sample of the residue, in dB relative to the tone's amplitude. It reveals clicks.
        let peak: Double
    }

    static let windowLength = 2400
    static let windowsInSecond = 20
    private static let turnsInWindow = Double(windowLength) / 48
    private static let nominalStep = 2 * Double.pi / 48
    let windows: [Window]

    /// - Parameter samples: The samples of one channel at 48 kHz.
    init(_ samples: [Float]) {
        var windows: [Window] = []
        for start in stride(from: 0, through: samples.count - Self.windowLength, by: Self.windowLength) {
            windows.append(
                Self.window(samples[start..<start + Self.windowLength], after: windows.last?.turns))
        }
        self.windows = windows
    }

    /// Returns the frequency over a range of windows, in parts per million above 1 kHz.
    func partsPerMillion(_ range: Range<Int>) -> Double {
        let points = range.map { (x: Double($0), y: windows[$0].turns) }
        let (meanX, meanY) = (
            points.reduce(0) { $0 + $1.x } / Double(points.count),
            points.reduce(0) { $0 + $1.y } / Double(points.count)
        )
        let slope =
            points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
            / points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        return slope / Self.turnsInWindow * 1e6
    }

    /// Returns the frequency of each sequence of `length` windows, in parts per million above 1 kHz.
    func course(every length: Int) -> [Double] {
        stride(from: 0, through: windows.count - length, by: length).map { partsPerMillion($0..<$0 + length) }
    }

    private static func window(_ samples: ArraySlice<Float>, after last: Double?) -> Window {
        // The phases of the two halves determine the deviation from 1 kHz.
        let middle = samples.startIndex + samples.count / 2
        let (first, second) = (
            Sine(samples[..<middle], step: nominalStep), Sine(samples[middle...], step: nominalStep)
        )
        let turn = remainder(second.phase - first.phase, 2 * .pi)
        let sine = Sine(samples, step: nominalStep + turn / Double(samples.count / 2))
        var turns = sine.phase / (2 * .pi)
        if let last { turns += (last - turns).rounded() }
        return Window(
            turns: turns, residue: 10 * log10(max(sine.residue, 1e-20)),
            peak: 20 * log10(max(sine.peak, 1e-10) / sine.amplitude))
    }

    /// The sine of one frequency that fits the samples best. Its phase at the center of the samples is
    /// relative to 1 kHz.
    private struct Sine {
        let phase: Double
        let amplitude: Double
        let residue: Double
        let peak: Double

        init(_ samples: ArraySlice<Float>, step: Double) {
            let count = samples.count
            let center = Double(count - 1) / 2
            var basis: [(sine: Double, cosine: Double)] = []
            basis.reserveCapacity(count)
            for index in 0..<count {
                let angle = step * (Double(index) - center)
                basis.append((sin(angle), cos(angle)))
            }
            let values = samples.map(Double.init)
            var (s, c, ss, cc, sc, power) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            for index in 0..<count {
                let (sine, cosine, value) = (basis[index].sine, basis[index].cosine, values[index])
                s += value * sine
                c += value * cosine
                ss += sine * sine
                cc += cosine * cosine
                sc += sine * cosine
                power += value * value
            }
            let determinant = ss * cc - sc * sc
            let (a, b) = ((s * cc - c * sc) / determinant, (c * ss - s * sc) / determinant)
            var (rest, peak) = (0.0, 0.0)
            for index in 0..<count {
                let difference = values[index] - a * basis[index].sine - b * basis[index].cosine
                rest += difference * difference
                peak = max(peak, abs(difference))
            }
            amplitude = (a * a + b * b).squareRoot()
            residue = rest / power
            self.peak = peak
            phase = atan2(b, a) - ToneReading.nominalStep * (Double(samples.startIndex) + center)
        }
    }
}
