internal import Glibc
public import Media

/// The cut by voice while it is recorded: decides every 10 ms, from what was heard until then. Pure.
///
/// It learns each microphone's noise, and how much of the other voices is heard on it, as it goes, in each band of a `VoiceMeter`: in some
/// band even a soft voice is louder than the noise or the other voice there. It knows nothing of what comes, so it
/// weighs what speaks for a change against what speaks for the present picture, and cuts some 0.5 s after the change.
public struct LiveVoice: Sendable {
    /// What is to be shown.
    public enum Choice: Sendable, Equatable {
        /// Who speaks into a microphone, by its place in the list of levels.
        case speaker(Int)
        /// All of them: several speak.
        case several
        /// All of them: nobody speaks.
        case nobody

        fileprivate var isWide: Bool { self == .several || self == .nobody }
    }

    /// Length of the shortest shot in levels of 10 ms.
    private let shortest: Int
    private var ears: [Ear]
    private var pairs: [Pair]
    private var time = 0
    private var shown = Choice.nobody
    private var shownSince: Int
    /// By how many levels each speaker alone was heard, less what speaks against it.
    private var alone: [Double]
    /// When anything but noise was heard last.
    private var sounded = -1_000_000

    // In levels of 10 ms.
    private static let enoughAlone = 20.0
    private static let enoughTogether = 25
    /// A speaker who was not heard for so long has ended; without any sound nobody speaks. Most pauses between sentences are shorter.
    private static let end = 53
    /// How much louder than the noise a voice is, as a ratio: 5 dB.
    private static let noiseMargin: Float = 3.2
    // In decibels above what is no voice of one's own.
    private static let mostOfOne = VoiceMeter.Powers(repeating: 6)
    private static let enoughOfAll: Float = 6

    /// Begins with everybody in the picture.
    ///
    /// - Parameters:
    ///   - microphones: How many there are.
    ///   - shortest: Length of the shortest shot.
    public init(microphones: Int, shortest: Nanoseconds) {
        self.shortest = max(1, Int(clamping: shortest.count / 10_000_000))
        let count = max(0, microphones)
        ears = Array(repeating: Ear(), count: count)
        alone = Array(repeating: 0, count: count)
        pairs = (0..<count).flatMap { one in
            (0..<count).compactMap { other in one < other ? Pair(one: one, other: other) : nil }
        }
        shownSince = 0
    }

    /// Begins a new recording with everybody in the picture; what was learned of microphones and voices stays.
    public mutating func beginAgain() {
        shown = .nobody
        shownSince = time
        forget()
    }

    /// Takes the next powers of each microphone.
    ///
    /// - Parameter powers: What a `VoiceMeter` measured in 10 ms, in the order of the microphones; missing ones count as silent.
    /// - Returns: What is to be shown from now on, where that changes.
    public mutating func add(_ powers: [VoiceMeter.Powers]) -> Choice? {
        for index in ears.indices { ears[index].hear(index < powers.count ? powers[index] : .zero, at: time) }
        learn()
        if ears.contains(where: \.isSounding) { sounded = time }
        let speaking = ears.indices.filter(isOwn)
        let counts = ears.map(\.count)
        for index in speaking { ears[index].note(at: time, counts: counts) }
        weigh(speaking)
        time += 1
        guard let choice, time - shownSince >= shortest else { return nil }
        // Where several or nobody speaks the picture is the same.
        let isSeen = !(choice.isWide && shown.isWide)
        shown = choice
        guard isSeen else { return nil }
        shownSince = time
        forget()
        return choice
    }

    /// Whether two go on to speak, each of whom was heard for long enough since the later one began.
    ///
    /// Of two who speak at once mostly the louder syllable is heard. Who ends is not heard any more once the next one has begun, and a
    /// word is not long enough.
    private var isTogether: Bool {
        func isHeard(_ one: Int, since other: Int) -> Bool {
            ears[one].count - ears[other].countsThen[one] >= Self.enoughTogether
        }
        let going = ears.indices.filter { time - 1 - ears[$0].owned < Self.end && isHeard($0, since: $0) }
        return going.contains { one in
            going.contains { $0 != one && isHeard(one, since: $0) && isHeard($0, since: one) }
        }
    }

    /// Counts what the present level says.
    private mutating func weigh(_ speaking: [Int]) {
        for index in alone.indices {
            let gain =
                speaking.isEmpty ? -0.1 : speaking == [index] ? 1 : speaking.contains(index) ? 0 : -2
            alone[index] = min(max(0, alone[index] + gain), Self.enoughAlone + 8)
        }
    }

    private mutating func forget() {
        alone = alone.map { _ in 0 }
    }

    /// What is to be shown, where that is another choice than now.
    private var choice: Choice? {
        if shown != .nobody, time - 1 - sounded >= Self.end { return .nobody }
        if shown != .several, isTogether { return .several }
        guard let best = alone.indices.max(by: { alone[$0] < alone[$1] }), alone[best] >= Self.enoughAlone,
            shown != .speaker(best)
        else { return nil }
        let goesOn = ears.indices.contains { $0 != best && time - 1 - ears[$0].owned < Self.end }
        return shown == .several && goesOn ? nil : .speaker(best)
    }

    /// Whether a microphone hears a voice of its own: more than its noise and all other voices leave on it, clearly in one band and a
    /// little in another, or somewhat in several.
    private func isOwn(_ index: Int) -> Bool {
        let ear = ears[index]
        var others = ear.noise * Self.noiseMargin
        for pair in pairs {
            if pair.one == index { others += ears[pair.other].highest * pair.leakToOne }
            if pair.other == index { others += ears[pair.one].highest * pair.leakToOther }
        }
        let over = (ear.power / others).decibels.clamped(lowerBound: .zero, upperBound: Self.mostOfOne)
        return over.sum() > Self.enoughOfAll
    }

    /// Counts how much louder one microphone of each pair is while one of them hears a voice.
    private mutating func learn() {
        // Until both have spoken nobody knows how loud voices are, so the loudest is the one that is most above its noise.
        guard let loudest = ears.indices.max(by: { ears[$0].aboveNoise < ears[$1].aboveNoise }),
            ears[loudest].aboveNoise > 10
        else { return }
        for index in pairs.indices where pairs[index].one == loudest || pairs[index].other == loudest {
            pairs[index].count(ears[pairs[index].one], ears[pairs[index].other])
        }
    }
}

extension VoiceMeter.Powers {
    fileprivate var decibels: Self {
        var decibels = self
        for band in indices { decibels[band] = 10 * log10(self[band]) }
        return decibels
    }
}

extension LiveVoice {
    /// One microphone: how loud it is in each band, its noise, and when it heard a voice of its own.
    fileprivate struct Ear {
        /// The mean of the last 50 ms.
        private(set) var power = lowest
        /// The highest power of late, which fades by 1.5 dB each 10 ms: the sound of a voice reaches the other microphones some
        /// milliseconds later, and a room goes on with it.
        private(set) var highest = lowest
        /// How loud its noise gets: the highest power in the quietest stretch of the last 20 s.
        private(set) var noise = lowest
        private var last: [VoiceMeter.Powers] = []
        /// The highest power of each stretch, and of the present one.
        private var maxima: [VoiceMeter.Powers] = []
        private var loudest = lowest
        /// When a voice of its own was heard last, and in how many levels so far.
        private(set) var owned = -1_000_000
        private(set) var count = 0
        /// For each microphone what `count` was as this one's voice began. Empty until it did.
        private(set) var countsThen: [Int] = []
        /// Length of a stretch in levels of 10 ms: shorter than the pauses of people who speak.
        private static let stretch = 15
        /// Less is no noise, but that nothing was recorded.
        private static let lowest = VoiceMeter.Powers(repeating: 1e-9)
        /// How much louder than the noise a sound is, as a ratio: 5 dB in the narrowest band, whose noise varies most, 2 dB in the widest.
        private static let soundMargin = {
            var margin = VoiceMeter.widths
            for band in margin.indices {
                margin[band] = pow(10, 0.1 + 0.4 * (110 / margin[band]).squareRoot())
            }
            return margin
        }()

        /// The level above that of the noise, in decibels.
        var aboveNoise: Float { VoiceMeter.level(of: power) - VoiceMeter.level(of: noise) }
        /// Whether anything is heard, by whomever.
        var isSounding: Bool { any(power .> noise * Self.soundMargin) }

        mutating func hear(_ next: VoiceMeter.Powers, at time: Int) {
            last = last.suffix(4) + [next.replacing(with: 0, where: .!(next .>= 0 .& next .<= 100))]
            power = last.reduce(.zero, +) / Float(last.count) + 1e-11
            highest = pointwiseMax(power, highest * 0.71)
            loudest = pointwiseMax(loudest, power)
            if time % Self.stretch == Self.stretch - 1 {
                if loudest != Self.lowest { maxima = maxima.suffix(132) + [loudest] }
                loudest = Self.lowest
            }
            noise = maxima.reduce(maxima.first ?? loudest, pointwiseMin)
        }

        /// Notes that it hears its own voice.
        mutating func note(at time: Int, counts: [Int]) {
            if time - owned > LiveVoice.end { countsThen = counts }
            count += 1
            owned = time
        }
    }

    /// Two microphones, and how loud a voice of one is on the other.
    fileprivate struct Pair {
        let one: Int
        let other: Int
        /// How much of the other one's power, as a ratio, is heard on each at most.
        private(set) var leakToOne = VoiceMeter.Powers(repeating: 1)
        private(set) var leakToOther = VoiceMeter.Powers(repeating: 1)
        private var differences = [VoiceDifferences](
            repeating: VoiceDifferences(), count: VoiceMeter.Powers.scalarCount)

        init(one: Int, other: Int) {
            self.one = one
            self.other = other
        }

        /// Counts in each band where a voice is heard how much louder one is.
        mutating func count(_ one: Ear, _ other: Ear) {
            let noise = VoiceMeter.level(of: one.noise) - VoiceMeter.level(of: other.noise)
            let difference = (one.power / other.power).decibels
            let isLoud = one.power .> one.noise * 16 .| other.power .> other.noise * 16
            for band in differences.indices {
                differences[band].count(isLoud[band] ? difference[band] : nil, noise: noise)
                leakToOne[band] = pow(10, differences[band].leakToOne / 10)
                leakToOther[band] = pow(10, differences[band].leakToOther / 10)
            }
        }
    }
}
