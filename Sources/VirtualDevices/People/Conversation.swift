import Glibc
import MulticamMedia

/// A conversation of several people who speak in turns, as a function of CLOCK_MONOTONIC. The cameras and microphones
/// of a conversation agree about who speaks, because they evaluate the same function.
struct Conversation: Sendable, Equatable {
    /// Number of people who speak, at least 1. People with higher numbers only listen.
    let speakerCount: Int

    static let maxPeople = 4

    private static let turnSeconds = 6.5
    /// A turn begins up to this time after its place on the regular grid.
    private static let maxTurnDelay = 2.0
    /// Times without speech at the start and at the end of a turn.
    private static let pauses = (start: 0.35, end: 0.2)

    /// Determines whose turn it is.
    ///
    /// - Parameter seconds: A time on CLOCK_MONOTONIC.
    /// - Returns: The person who speaks, and the loudness from 0 to 1 at which the turn fades in or out.
    func turn(at seconds: Double) -> (speaker: Int, gate: Double) {
        var turn = Int64(rounding: (seconds / Self.turnSeconds).rounded(.down))
        if seconds < Self.start(of: turn) { turn -= 1 }
        let (begin, end) = (
            Self.start(of: turn) + Self.pauses.start, Self.start(of: turn + 1) - Self.pauses.end
        )
        let count = Int64(speakerCount)
        let gate = Self.smooth((seconds - begin) / 0.08) * Self.smooth((end - seconds) / 0.12)
        return (Int(turn - turn.floorDivided(by: count) * count) + 1, gate)
    }

    /// Returns how much a person takes part, from 0 (listening) to 1 (speaking). Unlike the gate of a turn, the result
    /// changes slowly.
    func involvement(of person: Int, at seconds: Double) -> Double {
        let times = stride(from: -0.6, through: 0.6, by: 0.1)
        let sum = times.map { offset in
            let turn = turn(at: seconds + offset)
            return turn.speaker == person ? turn.gate : 0
        }.reduce(0, +)
        return sum / 13
    }

    private static func start(of turn: Int64) -> Double {
        Double(turn) * turnSeconds + maxTurnDelay * fraction(UInt64(bitPattern: turn), 1)
    }

    /// Interpolates smoothly from 0 to 1, with horizontal tangents.
    static func smooth(_ value: Double) -> Double {
        let x = min(max(value, 0), 1)
        return x * x * (3 - 2 * x)
    }

    /// Returns a number uniformly distributed in [0, 1) that depends only on its arguments.
    static func fraction(_ number: UInt64, _ purpose: UInt64) -> Double {
        Double(SeededChoices.mixed(SeededChoices.mixed(number &+ purpose &* 0x9E37_79B9)) >> 11) * 0x1p-53
    }
}

/// The mouth and the vocal tract of a speaking person at one time.
struct Articulation: Sendable {
    /// Loudness from 0 (silence) to 1.
    var loudness = 0.0
    /// Frequencies of the first three formants, in Hz.
    var formants = (0.0, 0.0, 0.0)
    /// Loudness of the noise of a consonant, from 0 to 1.
    var friction = 0.0
    /// Opening of the mouth, from 0 (closed) to 1.
    var opening = 0.0
    /// Width of the mouth, from 0 (rounded) to 1 (spread).
    var width = 0.5
}

/// A person's way of speaking: syllables with random vowels, in phrases separated by pauses.
struct Voice: Sendable {
    /// Number of the person, at least 1.
    let person: Int

    private struct Vowel {
        let formants: (Double, Double, Double)
        let opening: Double
        let width: Double
    }

    /// Vowels of English (Peterson and Barney 1952, average of men).
    private static let vowels = [
        Vowel(formants: (730, 1090, 2440), opening: 1, width: 0.6),
        Vowel(formants: (530, 1840, 2480), opening: 0.65, width: 0.9),
        Vowel(formants: (270, 2290, 3010), opening: 0.35, width: 1),
        Vowel(formants: (570, 840, 2410), opening: 0.7, width: 0.15),
        Vowel(formants: (300, 870, 2240), opening: 0.35, width: 0),
        Vowel(formants: (660, 1720, 2410), opening: 0.9, width: 0.9),
        Vowel(formants: (640, 1190, 2390), opening: 0.7, width: 0.5),
        Vowel(formants: (490, 1350, 1690), opening: 0.45, width: 0.3),
    ]

    /// Whether the person has a high voice, with a shorter vocal tract.
    private var isHigh: Bool { person % 2 == 0 }

    /// Returns the number of syllables spoken by a time, if the person never paused. The rate varies.
    private func syllables(at seconds: Double) -> Double {
        let phase = Double(person)
        return seconds * (4.6 + 0.2 * Double(person % 3)) + 0.3 * sin(2 * .pi * 0.37 * seconds + phase)
            + 0.15 * sin(2 * .pi * 0.83 * seconds + 2 * phase)
    }

    /// Whether a syllable is spoken. Every eleventh syllable begins a phrase, which ends with a pause.
    private func isSpoken(_ syllable: Int64) -> Bool {
        let phrase = syllable.floorDivided(by: 11)
        return syllable - phrase * 11 < 7 + Int64(choice(phrase, 2) * 3.5)
    }

    private func choice(_ number: Int64, _ purpose: UInt64) -> Double {
        Conversation.fraction(UInt64(bitPattern: number) &+ UInt64(person) << 48, purpose)
    }

    private func vowel(_ syllable: Int64) -> Vowel {
        Self.vowels[Int(choice(syllable, 3) * Double(Self.vowels.count))]
    }

    /// Returns the person's articulation at a time, if it is the person's turn.
    func articulation(at seconds: Double) -> Articulation {
        let position = syllables(at: seconds)
        let syllable = Int64(rounding: position.rounded(.down))
        let phase = position - Double(syllable)
        // Each vowel changes gradually into the vowel of the adjacent syllable.
        let (own, next) = (vowel(syllable), vowel(phase < 0.5 ? syllable - 1 : syllable + 1))
        let share = 0.5 * Conversation.smooth(abs(phase - 0.5) * 2)
        func mixed(_ value: (Vowel) -> Double) -> Double { value(own) * (1 - share) + value(next) * share }
        var result = Articulation()
        let tract = isHigh ? 1.16 : 1
        result.formants = (
            mixed { $0.formants.0 } * tract, mixed { $0.formants.1 } * tract, mixed { $0.formants.2 } * tract
        )
        result.width = mixed(\.width)
        guard isSpoken(syllable) else { return result }
        let edge = isSpoken(phase < 0.5 ? syllable - 1 : syllable + 1) ? 0.25 : 0
        let bump = pow(sin(.pi * phase), 0.7)
        // Adjacent syllables meet at the same loudness, because the stress has no effect at their edges.
        let stress = 0.65 + 0.35 * choice(syllable, 4)
        result.loudness = edge * (1 - bump) + stress * bump
        result.opening = result.loudness * mixed(\.opening)
        if choice(syllable, 5) < 0.35, phase < 0.3 { result.friction = sin(.pi * phase / 0.3) }
        return result
    }

    /// Returns the number of vibrations of the vocal cords by a time, as the integral of the pitch.
    func vibrations(at seconds: Double) -> Double {
        intonation.reduce(pitch * seconds) { sum, wave in
            sum - pitch * wave.depth / (2 * .pi * wave.rate)
                * cos(2 * .pi * wave.rate * seconds + wave.rate * Double(person))
        }
    }

    /// Returns the pitch at a time, in Hz.
    func pitch(at seconds: Double) -> Double {
        intonation.reduce(pitch) { sum, wave in
            sum + pitch * wave.depth * sin(2 * .pi * wave.rate * seconds + wave.rate * Double(person))
        }
    }

    /// Returns the number of harmonics below a frequency at the person's average pitch.
    func harmonicCount(below frequency: Double) -> Int { Int(frequency / pitch) }

    private var pitch: Double { (isHigh ? 198 : 112) + 9 * Double(person / 2) }
    private var intonation: [(rate: Double, depth: Double)] { [(0.31, 0.11), (1.13, 0.07), (2.9, 0.03)] }
}
