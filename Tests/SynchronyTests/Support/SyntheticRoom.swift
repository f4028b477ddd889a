import Glibc
import MulticamSeededNoise

/// One voice in a room, recorded by several microphones. Each microphone has different echoes, and different
/// noise that is as loud as the voice.
struct SyntheticRoom {
    private let seed: UInt64
    private let seconds: Double
    private let rate: Double
    private let echoes: Int
    private let dry: SyntheticAudio
    private let loudness: Double

    init(seed: UInt64, seconds: Double, rate: Double, echoes: Int) {
        (self.seed, self.seconds, self.rate, self.echoes) = (seed, seconds, rate, echoes)
        var dry = SyntheticAudio(seconds: seconds + 2, rate: rate)
        var speech = SyntheticSpeech(seed: seed)
        _ = speech.speak(into: &dry)
        loudness = (dry.samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(dry.samples.count))
            .squareRoot()
        self.dry = dry
    }

    /// Returns the audio of a microphone, delayed by `offset` seconds at the start and by `drift` ppm of the
    /// elapsed time.
    func microphone(
        _ number: UInt64, offset: Double = 0, drift: Double = 0, in heard: [Range<Double>]? = nil
    ) -> SyntheticAudio {
        var generator = SeededGenerator(seed: seed * 2 + number + 1000)
        // The echoes decay by 60 dB in 0.4 s.
        let echoes = (0..<echoes).map { _ in
            let delay = 0.002 + 0.25 * generator.fraction()
            return (delay, 0.5 * exp(-6.9 * delay / 0.4) * (generator.fraction() < 0.5 ? -1 : 1))
        }
        var audio = SyntheticAudio(seconds: seconds, rate: rate)
        let pace = 1 / (1 + drift * 1e-6)
        for index in audio.samples.indices {
            let now = Double(index) / rate
            if let heard, !heard.contains(where: { $0.contains(now) }) { continue }
            let time = 0.6 + (now - offset) * pace
            var value = dry.value(at: time)
            for (delay, gain) in echoes { value += gain * dry.value(at: time - delay) }
            audio.samples[index] = Float(value + loudness * generator.normal())
        }
        return audio
    }
}
