internal import Foundation
public import Media

/// The cut by voice while it is recorded: decides every 10 ms, from what was heard until then. Pure.
///
/// It learns each microphone's noise, and how much of the other voices is heard on it, as it goes. It knows nothing of what comes, so it
/// waits until a change lasts, and cuts some 0.5 s after it.
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
    private var quiet = 0
    private var shown = Choice.nobody
    private var shownSince: Int
    private var wanted: Choice?
    private var wantedSince = 0

    // In levels of 10 ms.
    private static let recentSpan = 25
    private static let recentNeed = 8
    private static let patienceForOne = 25
    private static let patienceForSeveral = 35
    private static let patienceToLeaveSeveral = 40
    private static let silence = 80

    /// Begins with everybody in the picture.
    ///
    /// - Parameters:
    ///   - microphones: How many there are.
    ///   - shortest: Length of the shortest shot.
    public init(microphones: Int, shortest: Nanoseconds) {
        self.shortest = max(1, Int(clamping: shortest.count / 10_000_000))
        ears = Array(repeating: Ear(), count: max(0, microphones))
        let all = 0..<max(0, microphones)
        pairs = all.flatMap { one in
            all.compactMap { other in one < other ? Pair(one: one, other: other) : nil }
        }
        shownSince = -self.shortest
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
        let speaking = ears.indices.filter { index in
            ears[index].note(isOwn(index), span: Self.recentSpan) >= Self.recentNeed
        }
        time += 1
        quiet = speaking.isEmpty ? quiet + 1 : 0
        let heard: Choice? =
            speaking.count == 1
            ? .speaker(speaking[0])
            : speaking.count > 1 ? .several : quiet >= Self.silence - Self.recentSpan ? .nobody : nil
        return decide(heard)
    }

    private mutating func decide(_ heard: Choice?) -> Choice? {
        guard let heard else { return nil }
        guard heard != shown, !(heard.isWide && shown.isWide) else {
            if heard.isWide { shown = heard }
            wanted = nil
            return nil
        }
        if heard != wanted { (wanted, wantedSince) = (heard, time) }
        let patience =
            switch (heard, shown) {
            case (.nobody, _): 0
            case (.several, _): Self.patienceForSeveral
            case (.speaker, .several): Self.patienceToLeaveSeveral
            case (.speaker, _): Self.patienceForOne
            }
        guard time - wantedSince >= patience, time - shownSince >= shortest else { return nil }
        (shown, shownSince, wanted) = (heard, time, nil)
        return heard
    }

    /// Whether a microphone hears a voice of its own.
    private func isOwn(_ index: Int) -> Bool {
        let ear = ears[index]
        guard ear.level > ear.floor + 7 else { return false }
        return pairs.allSatisfy { pair in
            if pair.one == index { return ear.level > ears[pair.other].highest + pair.leakOfOne }
            if pair.other == index { return ear.level > ears[pair.one].highest + pair.leakOfOther }
            return true
        }
    }

    /// Counts how much louder one microphone of each pair is while one of them hears a voice.
    private mutating func learn() {
        guard let loudest = ears.indices.max(by: { ears[$0].ownLevel < ears[$1].ownLevel }),
            ears.contains(where: { $0.level > $0.floor + 12 })
        else { return }
        for index in pairs.indices where pairs[index].one == loudest || pairs[index].other == loudest {
            pairs[index].count(ears[pairs[index].one].level - ears[pairs[index].other].level)
        }
    }
}

extension LiveVoice {
    /// One microphone: its level, its noise, how loud its voice is, and how much of a voice it heard of late.
    fileprivate struct Ear {
        private(set) var level = VoiceMeter.silence
        private(set) var floor: Float = -80
        private var voice: Float = -60
        private var powers: [Double] = []
        private var recent: [Bool] = []
        private var levels: [Float] = []
        private var minima: [Float] = []
        private var minimum = Float.infinity

        /// The level beside that of its own voice.
        var ownLevel: Float { level - voice }
        /// The highest of the last levels: the sound of a voice reaches the other microphones some milliseconds later.
        var highest: Float { levels.max() ?? level }

        mutating func hear(_ next: Float, at time: Int) {
            powers =
                powers.suffix(4) + [pow(10, Double(next.isFinite ? min(next, 20) : VoiceMeter.silence) / 10)]
            level = Float(10 * log10(powers.reduce(0, +) / Double(powers.count) + 1e-12))
            levels = levels.suffix(3) + [level]
            if level > VoiceMeter.silence + 10 { minimum = min(minimum, level) }
            // The quietest level of the last 20 s, which lies below the mean of the noise.
            if time % 50 == 49 {
                if minimum.isFinite { minima = minima.suffix(39) + [minimum] }
                minimum = .infinity
            }
            let lowest = min(minimum, minima.min() ?? .infinity)
            floor = lowest.isFinite ? max(lowest + 3.5, -80) : -80
            voice = max(level, voice - 0.0005)
        }

        /// Notes whether it hears its own voice; returns how often it did within a span.
        mutating func note(_ isOwn: Bool, span: Int) -> Int {
            recent = recent.suffix(span - 1) + [isOwn]
            return recent.count { $0 }
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

        init(one: Int, other: Int) {
            self.one = one
            self.other = other
        }

        mutating func count(_ difference: Float) {
            // In place of making all others smaller, each new one counts more.
            weight *= 1.0002
            counts[Int(rounding: max(-60, min(60, difference))) + 60] += weight
            if weight > 1e9 {
                counts = counts.map { $0 / weight }
                weight = 1
            }
            news += 1
            if news % 25 == 0, news >= 50 { settle() }
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
                // Only one of them has spoken so far, the louder one. The other speaks when the difference is unlike that.
                let middle = Float(Self.quantile(counts, 0..<121, 0.5) - 60)
                (leakOfOne, leakOfOther) =
                    middle > 0 ? (middle - 8, 4 - middle) : (middle + 4, -middle - 8)
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
