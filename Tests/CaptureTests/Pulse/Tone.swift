import Foundation

enum Tone {
    /// Returns the fraction of the energy of `samples` at one frequency.
    static func share(of frequency: Double, in samples: [Float], rate: Double) -> Double {
        var (cosine, sine, energy) = (0.0, 0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let phase = 2 * Double.pi * frequency * Double(index) / rate
            cosine += Double(sample) * cos(phase)
            sine += Double(sample) * sin(phase)
            energy += Double(sample) * Double(sample)
        }
        return energy == 0 ? 0 : 2 * (cosine * cosine + sine * sine) / (Double(samples.count) * energy)
    }
}
