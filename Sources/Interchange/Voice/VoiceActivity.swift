internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia

/// Speech activity of each speaker over time, from the levels of all microphones. A pure value type.
///
/// The voice of a microphone's own speaker is louder than the noise and the leakage of other voices. The
/// difference depends on the room and the gains, and is derived from the levels: between two microphones, the
/// level differences cluster around two values, one for each voice.
struct VoiceActivity {
    /// For each microphone, whether its own speaker can be heard, every 10 ms.
    private(set) var speaks: [[Bool]]

    private static let noiseMargin: Float = 7
    private static let loudMargin: Float = 12
    /// Level difference in decibels below which two microphones are considered to pick up the same voice.
    private static let leastSeparation: Float = 8
    /// Maximum length of a pause within one utterance, in 10 ms levels.
    private static let longestPause = 70
    /// Minimum length of speech, in 10 ms levels.
    private static let shortestSound = 12
    /// Duration for which a fading voice is masked by the noise or another voice, in 10 ms levels.
    private static let fading = 9

    /// Detects speech in an entire recording.
    ///
    /// - Parameters:
    ///   - levels: Each microphone's level in decibels, every 10 ms. All arrays have the same length.
    ///   - muted: The ranges during which each microphone is ignored, in order.
    init(levels: [[Float]], muted: [[Range<Int>]] = []) {
        var levels = levels
        for index in muted.indices where index < levels.count {
            for stretch in muted[index] {
                for time in stretch.clamped(to: levels[index].indices) {
                    levels[index][time] = VoiceMeter.silence
                }
            }
        }

        let smooth = levels.map(Self.smoothed)
        let floors = levels.indices.map { Self.floor(smooth[$0]) }
        let voices = smooth.map { Self.percentile(Self.known($0), 0.97) }
        let leaks = Self.leaks(smooth, floors: floors, voices: voices, muted: muted)
        // Sound reaches the other microphones a few milliseconds later.
        let near = smooth.map { Self.maximum($0, reach: 2) }
        speaks = smooth.indices.map { one in
            var heard = smooth[one].map { $0 > floors[one] + Self.noiseMargin }
            for other in smooth.indices where other != one {
                guard let leak = leaks[one][other] else { continue }
                for time in heard.indices where heard[time] {
                    heard[time] = smooth[one][time] > near[other][time] + leak
                }
            }
            return Self.joined(heard)
        }
    }

    /// Returns, for each pair of microphones, the minimum level difference in decibels at which the first
    /// microphone's own speaker is considered heard; `nil` if the second microphone provides no information
    /// about this speaker.
    private static func leaks(
        _ levels: [[Float]], floors: [Float], voices: [Float], muted: [[Range<Int>]]
    ) -> [[Float?]] {
        var leaks = levels.map { _ in [Float?](repeating: nil, count: levels.count) }
        let count = levels.first?.count ?? 0
        // While a microphone is ignored, it provides no information about the other microphones.
        var isMuted = levels.map { _ in [Bool](repeating: false, count: count) }
        for index in muted.indices where index < levels.count {
            for stretch in muted[index] {
                for time in stretch.clamped(to: 0..<count) { isMuted[index][time] = true }
            }
        }
        let loudest = (0..<count).map { time -> Int? in
            let heard = levels.indices.lazy.filter { !isMuted[$0][time] }
            guard heard.contains(where: { levels[$0][time] > floors[$0] + loudMargin }) else { return nil }
            return heard.max { levels[$0][time] - voices[$0] < levels[$1][time] - voices[$1] }
        }
        for one in levels.indices {
            for other in levels.indices where one < other {
                let differences = (0..<count).compactMap { time in
                    (loudest[time] == one || loudest[time] == other)
                        && !isMuted[one][time] && !isMuted[other][time]
                        ? levels[one][time] - levels[other][time] : nil
                }
                guard differences.count >= 50 else { continue }
                let (low, high) = modes(differences)
                if high - low >= leastSeparation {
                    let margin = min(5, (high - low) / 4)
                    leaks[one][other] = low + margin
                    leaks[other][one] = margin - high
                } else {
                    // Only one of the two microphones has a speaker: the louder microphone.
                    let middle = percentile(differences.sorted(), 0.5)
                    if middle > 0 { leaks[other][one] = 4 - middle } else { leaks[one][other] = middle + 4 }
                }
            }
        }
        return leaks
    }

    /// Returns the two values around which numbers cluster: the medians of two groups, where each number
    /// belongs to the group with the closer median.
    private static func modes(_ numbers: [Float]) -> (low: Float, high: Float) {
        let sorted = numbers.sorted()
        var (low, high) = (percentile(sorted, 0.02), percentile(sorted, 0.98))
        for _ in 0..<20 {
            let border = (low + high) / 2
            let split = sorted.partitioningIndex { $0 > border }
            guard split > 0, split < sorted.count else { break }
            let next = (sorted[split / 2], sorted[split + (sorted.count - split) / 2])
            if next == (low, high) { break }
            (low, high) = next
        }
        return (low, high)
    }

    private static func floor(_ levels: [Float]) -> Float { max(percentile(known(levels), 0.05) + 1.5, -80) }

    /// Returns the levels of recorded audio in ascending order.
    private static func known(_ levels: [Float]) -> [Float] {
        levels.filter { $0 > VoiceMeter.silence + 10 }.sorted()
    }

    private static func percentile(_ sorted: [Float], _ share: Double) -> Float {
        guard !sorted.isEmpty else { return VoiceMeter.silence }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// Returns, for each level, the mean power of the five levels around it.
    private static func smoothed(_ levels: [Float]) -> [Float] {
        let powers = levels.map { pow(10, Double($0) / 10) }
        return levels.indices.map { time in
            let around = max(0, time - 2)..<min(levels.count, time + 3)
            return Float(10 * log10(powers[around].reduce(0, +) / Double(around.count) + 1e-12))
        }
    }

    private static func maximum(_ levels: [Float], reach: Int) -> [Float] {
        levels.indices.map { time in
            levels[max(0, time - reach)..<min(levels.count, time + reach + 1)].max() ?? VoiceMeter.silence
        }
    }

    /// Bridges short pauses, then removes sounds that are too short to be speech, and extends the others by
    /// the fading time.
    private static func joined(_ heard: [Bool]) -> [Bool] {
        var heard = heard
        for pause in runs(of: false, in: heard)
        where pause.lowerBound > 0 && pause.upperBound < heard.count && pause.count < longestPause {
            for time in pause { heard[time] = true }
        }
        for sound in runs(of: true, in: heard) {
            if sound.count < shortestSound {
                for time in sound { heard[time] = false }
            } else {
                for time in sound.upperBound..<min(heard.count, sound.upperBound + fading) {
                    heard[time] = true
                }
            }
        }
        return heard
    }

    /// Returns the ranges of consecutive elements that are equal to a value.
    static func runs<Value: Equatable>(of value: Value, in values: [Value]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for (index, one) in values.enumerated() {
            if one == value {
                start = start ?? index
            } else if let first = start {
                runs.append(first..<index)
                start = nil
            }
        }
        if let start { runs.append(start..<values.count) }
        return runs
    }
}

extension [Float] {
    /// Returns the index of the first element that satisfies a condition. All later elements must satisfy the
    /// condition too.
    fileprivate func partitioningIndex(where holds: (Float) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Distribution of the level difference between two microphones in one band while one of them picks up a
/// voice, in decibels. A pure value type.
///
/// The differences cluster around two values, one for each voice. The variance of the differences depends on the room.
struct VoiceDifferences {
    /// Maximum level of each microphone relative to the other one while its own speaker is silent.
    private(set) var leakToOne: Float = 0
    private(set) var leakToOther: Float = 0
    /// Histogram in steps of 1 dB from −60 to 60. Old values lose weight over time.
    private var counts = [Double](repeating: 0, count: 121)
    private var weight = 1.0
    private var differenceCount = 0

    /// Records a difference.
    ///
    /// - Parameters:
    ///   - difference: Level of the first microphone relative to the second; `nil` without a voice.
    ///   - noise: Noise level of the first microphone relative to the second.
    mutating func count(_ difference: Float?, noise: Float) {
        if let difference {
            // Increasing the weight of new values avoids scaling down all old values.
            weight *= 1.0002
            counts[Int(rounding: max(-60, min(60, difference))) + 60] += weight
            if weight > 1e9 {
                counts = counts.map { $0 / weight }
                weight = 1
            }
            differenceCount += 1
        }
        if differenceCount < 50 {
            (leakToOne, leakToOther) = (noise - 2, -noise - 2)
        } else if difference != nil, differenceCount % 25 == 0 {
            updateLeakage(noise)
        }
    }

    private mutating func updateLeakage(_ noise: Float) {
        var (low, high) = (quantile(0..<121, 0.02), quantile(0..<121, 0.98))
        for _ in 0..<20 where low < high {
            let border = (low + high) / 2 + 1
            let next = (quantile(0..<border, 0.5), quantile(border..<121, 0.5))
            if next == (low, high) { break }
            (low, high) = next
        }
        if high - low >= 8 {
            // Differences for simultaneous voices lie between the two values, so the differences outside this
            // range show the variance of each individual voice.
            let border = (low + high) / 2 + 1
            let scatter = (low - quantile(0..<border, 0.1), quantile(border..<121, 0.9) - high)
            leakToOne = Float(low - 60) + max(2, 1.5 * Float(scatter.0))
            leakToOther = Float(60 - high) + max(2, 1.5 * Float(scatter.1))
        } else {
            // So far, only one of the two people has spoken: the person at the microphone that is louder
            // relative to its noise. A very different level difference means that the other person is
            // speaking. A value in between means that both people are speaking.
            let middle = Float(quantile(0..<121, 0.5) - 60)
            (leakToOne, leakToOther) = middle > noise ? (middle - 18, 6 - middle) : (middle + 6, -middle - 18)
        }
    }

    /// Returns the index below which the given fraction of a range's weight lies.
    private func quantile(_ range: Range<Int>, _ share: Double) -> Int {
        let wanted = range.reduce(0) { $0 + counts[$1] } * share
        var sum = 0.0
        for place in range {
            sum += counts[place]
            if sum > 0, sum >= wanted { return place }
        }
        return range.upperBound - 1
    }
}
