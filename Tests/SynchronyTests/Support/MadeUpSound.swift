import Glibc
import Media

/// Samples of one channel, made for a test.
struct MadeUpSound {
    var samples: [Float]
    let rate: Double

    init(seconds: Double, rate: Double = 48_000) {
        samples = Array(repeating: 0, count: Int(seconds * rate))
        self.rate = rate
    }

    /// Adds a beep of 1 kHz, 40 ms, phase 0 at `second`, which need not be a sample's.
    mutating func beep(
        at second: Double, amplitude: Double = 0.5, frequency: Double = 1000, lasting: Double = 0.04
    ) {
        add(from: second, lasting: lasting) { amplitude * sin(2 * .pi * frequency * $0) }
    }

    /// Adds a function of the seconds since `second`.
    mutating func add(from second: Double, lasting: Double, _ value: (Double) -> Double) {
        let first = max(0, Int((second * rate).rounded(.up)))
        for index in first..<max(first, min(samples.count, Int(((second + lasting) * rate).rounded(.up)))) {
            samples[index] += Float(value(Double(index) / rate - second))
        }
    }

    mutating func noise(_ deviation: Double, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for index in samples.indices { samples[index] += Float(deviation * generator.normal()) }
    }
}
