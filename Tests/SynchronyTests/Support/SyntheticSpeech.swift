import Glibc
import MulticamSeededNoise

/// Synthetic speech with voiced syllables of one pitch, moving formants, fricatives, and pauses.
struct SyntheticSpeech {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed &* 7919)
    }

    /// Adds speech to all of the audio.
    ///
    /// - Returns: The number of words that were added.
    mutating func speak(into audio: inout SyntheticAudio, loudness: Double = 0.2) -> Int {
        let end = Double(audio.samples.count) / audio.rate
        var (second, words) = (0.3, 0)
        let pitch = 90 + 120 * generator.fraction()
        while second < end - 1 {
            words += 1
            for _ in 0..<Int(1 + 3 * generator.fraction()) {
                let length = 0.1 + 0.15 * generator.fraction()
                if generator.fraction() < 0.4 {
                    fricative(at: second, into: &audio, loudness: loudness * 0.3)
                    second += 0.05
                }
                vowel(at: second, lasting: length, pitch: pitch, into: &audio, loudness: loudness)
                second += length
            }
            second += generator.fraction() < 0.2 ? 0.4 : 0.06 + 0.1 * generator.fraction()
        }
        return words
    }

    private mutating func fricative(at second: Double, into audio: inout SyntheticAudio, loudness: Double) {
        var generator = generator
        audio.add(from: second, lasting: 0.06) {
            loudness * sin(.pi * min(1, $0 / 0.06)) * generator.normal() / 2
        }
        self.generator = generator
    }

    private mutating func vowel(
        at second: Double, lasting length: Double, pitch: Double, into audio: inout SyntheticAudio,
        loudness: Double
    ) {
        let formants = [
            300 + 500 * generator.fraction(), 900 + 1400 * generator.fraction(),
            2500 + 700 * generator.fraction(),
        ]
        let (glide, own) = (0.8 + 0.4 * generator.fraction(), loudness * (0.5 + generator.fraction()))
        let attack = 0.012 + 0.025 * generator.fraction()
        audio.add(from: second, lasting: length) { time in
            let envelope = min(1, time / attack) * min(1, (length - time) / 0.04)
            let cycles = pitch * time * (1 + (glide - 1) * time / length / 2)
            let sincePulse = (cycles - cycles.rounded(.down)) / pitch
            var value = 0.0
            for (index, formant) in formants.enumerated() {
                value +=
                    exp(-sincePulse * 250 * Double(index + 1)) * sin(2 * .pi * formant * sincePulse)
                    / Double(index + 1)
            }
            return own * envelope * value / 1.5
        }
    }
}
