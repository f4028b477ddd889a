import Glibc
import MulticamSeededNoise

/// Synthetic single-channel audio.
struct SyntheticAudio {
    var samples: [Float]
    let rate: Double

    init(seconds: Double, rate: Double = 48_000) {
        samples = Array(repeating: 0, count: Int(seconds * rate))
        self.rate = rate
    }

    /// Adds a beep of 1 kHz and 40 ms with phase 0 at `second`, which may be between samples.
    mutating func beep(
        at second: Double, amplitude: Double = 0.5, frequency: Double = 1000, lasting: Double = 0.04
    ) {
        add(from: second, lasting: lasting) { amplitude * sin(2 * .pi * frequency * $0) }
    }

    /// Adds a signal as a function of the seconds since `second`.
    mutating func add(from second: Double, lasting: Double, _ value: (Double) -> Double) {
        let first = max(0, Int((second * rate).rounded(.up)))
        for index in first..<max(first, min(samples.count, Int(((second + lasting) * rate).rounded(.up)))) {
            samples[index] += Float(value(Double(index) / rate - second))
        }
    }

    /// Adds mains hum of 50 Hz with harmonics. The n-th harmonic has 1/n of the amplitude. The sample rate
    /// must be a multiple of 50 Hz.
    mutating func hum(_ amplitude: Double, phases: [Double]) {
        let period = (0..<Int(rate / 50)).map { index in
            phases.enumerated().reduce(0.0) { sum, harmonic in
                let number = Double(harmonic.offset + 1)
                return sum + amplitude / number
                    * sin(2 * .pi * 50 * number * Double(index) / rate + harmonic.element)
            }
        }
        for index in samples.indices { samples[index] += Float(period[index % period.count]) }
    }

    mutating func noise(_ deviation: Double, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for index in samples.indices { samples[index] += Float(deviation * generator.normal()) }
    }

    /// Returns the value at any time, by cubic interpolation (Catmull and Rom, 1974). Outside of the samples,
    /// the value is silence.
    func value(at second: Double) -> Double {
        let place = second * rate
        let index = Int(place.rounded(.down))
        guard index >= 1, index + 2 < samples.count else { return 0 }
        let t = place - Double(index)
        let (a, b) = (Double(samples[index - 1]), Double(samples[index]))
        let (c, d) = (Double(samples[index + 1]), Double(samples[index + 2]))
        return b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    }
}
