internal import FoundationEssentials
internal import Glibc
public import Media

/// The cut by voice while it is recorded: decides every 10 ms, from what was heard until then. Pure.
///
/// It learns each microphone's noise, and how much of the other voices is heard on it, as it goes. It knows nothing of what comes, so it
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

    /// Takes the next level of each microphone.
    ///
    /// - Parameter levels: In decibels, in the order of the microphones; missing ones count as silent.
    /// - Returns: What is to be shown from now on, where that changes.
    public mutating func add(_ levels: [Float]) -> Choice? {
        for index in ears.indices {
            ears[index].hear(index < levels.count ? levels[index] : VoiceMeter.silence, at: time)
        }
        learn()
        if ears.contains(where: { $0.level > $0.floor + 2 }) { sounded = time }
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

    /// Whether a microphone hears a voice of its own.
    private func isOwn(_ index: Int) -> Bool {
        let ear = ears[index]
        guard ear.level > ear.floor + 9 else { return false }
        return pairs.allSatisfy { pair in
            if pair.one == index { return ear.level > ears[pair.other].highest + pair.leakOfOne }
            if pair.other == index { return ear.level > ears[pair.one].highest + pair.leakOfOther }
            return true
        }
    }

    /// Counts how much louder one microphone of each pair is while one of them hears a voice.
    private mutating func learn() {
        // Until both have spoken nobody knows how loud voices are, so the loudest is the one that is most above its noise.
        guard let loudest = ears.indices.max(by: { ears[$0].aboveNoise < ears[$1].aboveNoise }),
            ears[loudest].aboveNoise > 14
        else { return }
        for index in pairs.indices where pairs[index].one == loudest || pairs[index].other == loudest {
            let (one, other) = (ears[pairs[index].one], ears[pairs[index].other])
            pairs[index].count(one.level - other.level, noise: one.floor - other.floor)
        }
    }
}

extension LiveVoice {
    /// One microphone: its level, its noise, and when it heard a voice of its own.
    fileprivate struct Ear {
        private(set) var level = VoiceMeter.silence
        /// How loud its noise gets: the loudest level in the quietest stretch of the last 20 s.
        private(set) var floor: Float = -80
        private var powers: [Double] = []
        /// When a voice of its own was heard last, and in how many levels so far.
        private(set) var owned = -1_000_000
        private(set) var count = 0
        /// For each microphone what `count` was as this one's voice began. Empty until it did.
        private(set) var countsThen: [Int] = []
        private var levels: [Float] = []
        /// The loudest level of each stretch, and of the present one.
        private var maxima: [Float] = []
        private var loudest = VoiceMeter.silence
        /// Length of a stretch in levels of 10 ms: shorter than the pauses of people who speak.
        private static let stretch = 15

        /// The level above that of the noise, in decibels.
        var aboveNoise: Float { level - floor }
        /// The highest of the last levels: the sound of a voice reaches the other microphones some milliseconds later.
        var highest: Float { levels.max() ?? level }

        mutating func hear(_ next: Float, at time: Int) {
            powers =
                powers.suffix(4) + [pow(10, Double(next.isFinite ? min(next, 20) : VoiceMeter.silence) / 10)]
            level = Float(10 * log10(powers.reduce(0, +) / Double(powers.count) + 1e-12))
            levels = levels.suffix(3) + [level]
            loudest = max(loudest, level)
            if time % Self.stretch == Self.stretch - 1 {
                // What was not recorded is no noise.
                if loudest > VoiceMeter.silence + 10 { maxima = maxima.suffix(132) + [loudest] }
                loudest = VoiceMeter.silence
            }
            floor = max(maxima.min() ?? loudest, -80)
        }

        /// Notes that it hears its own voice.
        mutating func note(at time: Int, counts: [Int]) {
            if time - owned > LiveVoice.end { countsThen = counts }
            count += 1
            owned = time
        }
    }

    /// Two microphones, and how the difference of their levels is distributed while one of them hears a voice.
    fileprivate struct Pair {
        let one: Int
        let other: Int
        /// How much louder than the other it must be to hear a voice of its own, in decibels.
        private(set) var leakOfOne: Float = 4
        private(set) var leakOfOther: Float = 4
        /// By decibels from −60 to 60; old ones count less and less.
        private var counts = [Double](repeating: 0, count: 121)
        private var weight = 1.0
        private var news = 0
        /// How much louder one's noise is than the other's, in decibels.
        private var noise: Float = 0

        init(one: Int, other: Int) {
            self.one = one
            self.other = other
        }

        mutating func count(_ difference: Float, noise: Float) {
            self.noise = noise
            // In place of making all others smaller, each new one counts more.
            weight *= 1.0002
            counts[Int(rounding: max(-60, min(60, difference))) + 60] += weight
            if weight > 1e9 {
                counts = counts.map { $0 / weight }
                weight = 1
            }
            news += 1
            if news < 50 {
                (leakOfOne, leakOfOther) = (noise + 4, 4 - noise)
            } else if news % 25 == 0 {
                settle()
            }
        }

        private mutating func settle() {
            var (low, high) = (Self.quantile(counts, 0..<121, 0.02), Self.quantile(counts, 0..<121, 0.98))
            for _ in 0..<20 where low < high {
                let border = (low + high) / 2 + 1
                let next = (
                    Self.quantile(counts, 0..<border, 0.5), Self.quantile(counts, border..<121, 0.5)
                )
                if next == (low, high) { break }
                (low, high) = next
            }
            if high - low >= 8 {
                let margin = min(5, Float(high - low) / 4)
                (leakOfOne, leakOfOther) = (Float(low - 60) + margin, margin - Float(high - 60))
            } else {
                // Only one of them has spoken so far: the one that is louder beside its noise. The other speaks when the difference is
                // quite unlike that, and both where it lies between.
                let middle = Float(Self.quantile(counts, 0..<121, 0.5) - 60)
                (leakOfOne, leakOfOther) =
                    middle > noise ? (middle - 16, 8 - middle) : (middle + 8, -middle - 16)
            }
        }

        /// The place at which a share of a range's weight lies below.
        private static func quantile(_ counts: [Double], _ range: Range<Int>, _ share: Double) -> Int {
            let wanted = range.reduce(0) { $0 + counts[$1] } * share
            var sum = 0.0
            for place in range {
                sum += counts[place]
                if sum > 0, sum >= wanted { return place }
            }
            return range.upperBound - 1
        }
    }
}
