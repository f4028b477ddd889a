import Glibc
import MulticamMedia

/// The audio of a microphone in a conversation. The speech is synthesized from the harmonics of the voice, weighted with
/// the resonances of the vocal tract. It has the rhythm and the sound of speech, but no words.
struct SpeechSignal: Sendable {
    /// The person in front of the microphone. The other people are audible in the background. If the value is `nil`,
    /// all people are equally loud.
    let person: Int?
    let conversation: Conversation

    /// RMS amplitude of a fully stressed vowel. Together with pauses, the average level of speech is about −20 dBFS.
    private static let voiceLevel = 0.165
    private static let frictionLevel = 0.05
    /// Amplitude of the room's noise, about −66 dBFS.
    private static let noiseLevel = 0.0009
    private static let backgroundLevel = 0.04
    private static let highestHarmonic = 4_200.0

    /// Computes the samples of one slice of at most a few hundredths of a second, in which amplitudes change linearly.
    ///
    /// - Parameters:
    ///   - count: Number of samples.
    ///   - start: Capture time of the first sample.
    ///   - interval: Number of seconds between samples, by the device's own clock.
    ///   - first: Number of the first sample, which determines the noise.
    /// - Returns: `count` samples from −1 to 1.
    func samples(_ count: Int, from start: ClockTime, every interval: Double, first: Int64) -> [Float] {
        let seconds = Double(start.nanoseconds) / 1e9
        let last = seconds + Double(count) * interval
        var samples = [Float](repeating: 0, count: count)
        let (begin, end) = (moment(at: seconds), moment(at: last))
        // If the speaker changes within the slice, both speakers are silent.
        let (speaker, voice) = (begin.speaker, Voice(person: begin.speaker))
        let from = Self.harmonics(voice, begin, at: seconds)
        let to = Self.harmonics(voice, end, at: last)
        let isSilent = begin.level == 0 && end.level == 0
        let phases = (voice.vibrations(at: seconds), voice.vibrations(at: last))
        let distance = person == nil || person == speaker ? 1 : Self.backgroundLevel
        samples.withUnsafeMutableBufferPointer { samples in
            from.withUnsafeBufferPointer { from in
                to.withUnsafeBufferPointer { to in
                    var former = Self.noise(first - 1)
                    for index in 0..<count {
                        let place = Double(index) / Double(count)
                        let noise = Self.noise(first + Int64(index))
                        var value = noise * Self.noiseLevel
                        if !isSilent {
                            let turns = phases.0 + (phases.1 - phases.0) * place
                            let angle = 2 * .pi * (turns - turns.rounded(.down))
                            // sin((k + 1)x) = 2 cos(x) sin(kx) − sin((k − 1)x)
                            let double = 2 * cos(angle)
                            var (before, current, sum) = (0.0, sin(angle), 0.0)
                            for harmonic in 0..<from.count {
                                sum += current * (from[harmonic] + (to[harmonic] - from[harmonic]) * place)
                                (before, current) = (current, double * current - before)
                            }
                            let friction = begin.friction + (end.friction - begin.friction) * place
                            value += distance * (sum + (noise - former) * friction)
                        }
                        former = noise
                        samples[index] = Float(min(max(value, -1), 1))
                    }
                }
            }
        }
        return samples
    }

    private struct Moment {
        let speaker: Int
        let articulation: Articulation
        /// RMS amplitude of the voice.
        let level: Double
        let friction: Double
    }

    private func moment(at seconds: Double) -> Moment {
        let turn = conversation.turn(at: seconds)
        let articulation = Voice(person: turn.speaker).articulation(at: seconds)
        return Moment(
            speaker: turn.speaker, articulation: articulation,
            level: turn.gate * articulation.loudness * Self.voiceLevel,
            friction: turn.gate * articulation.friction * Self.frictionLevel)
    }

    /// Returns the amplitudes of the harmonics. A source with a slope of −6 dB per octave excites three variable
    /// resonances and a fixed one in series (Fant 1960).
    private static func harmonics(_ voice: Voice, _ moment: Moment, at seconds: Double) -> [Double] {
        let pitch = voice.pitch(at: seconds)
        let formants = moment.articulation.formants
        let resonances = [(formants.0, 80.0), (formants.1, 110.0), (formants.2, 170.0), (3_600.0, 260.0)]
        // The count is the same at both ends of a slice, because it doesn't depend on the current pitch.
        let amplitudes = (1...voice.harmonicCount(below: highestHarmonic)).map { harmonic in
            let frequency = Double(harmonic) * pitch
            return resonances.reduce(1 / Double(harmonic)) { amplitude, resonance in
                let (center, width) = resonance
                let detuning = center * center - frequency * frequency
                return amplitude * center * center
                    / (detuning * detuning + width * width * frequency * frequency).squareRoot()
            }
        }
        let power = amplitudes.reduce(0) { $0 + $1 * $1 } / 2
        let scale = moment.level / max(power.squareRoot(), 1e-9)
        return amplitudes.map { $0 * scale }
    }

    /// Returns white noise from −1 to 1.
    private static func noise(_ sample: Int64) -> Double {
        Double(Int64(bitPattern: SeededChoices.mixed(UInt64(bitPattern: sample) &+ 1))) * 0x1p-63
    }
}
