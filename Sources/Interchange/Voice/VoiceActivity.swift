internal import FoundationEssentials
internal import Glibc

/// Who speaks when, from the levels of all microphones. Pure.
///
/// A microphone's own voice is louder than its noise, and louder than what the other voices leave on it. How much that is differs
/// with the room and the gains; the differences of levels say it: between two microphones they gather around two values, one for
/// each voice.
struct VoiceActivity {
    /// For each microphone whether its own voice is heard, every 10 ms.
    private(set) var speaks: [[Bool]]

    private static let noiseMargin: Float = 7
    private static let loudMargin: Float = 12
    /// Difference in decibels below which two microphones hear one voice.
    private static let leastSeparation: Float = 8
    /// A pause within what somebody says, in levels of 10 ms.
    private static let longestPause = 70
    /// Shorter sounds are no speech.
    private static let shortestSound = 12
    /// How long a voice that ends goes on below the noise or another voice.
    private static let fading = 9

    /// Decides for whole recordings.
    ///
    /// - Parameter levels: For each microphone a level in decibels every 10 ms; of equal lengths.
    init(levels: [[Float]]) {
        let smooth = levels.map(Self.smoothed)
        let floors = levels.indices.map { Self.floor(smooth[$0]) }
        let voices = smooth.map { Self.percentile(Self.known($0), 0.97) }
        let leaks = Self.leaks(smooth, floors: floors, voices: voices)
        // The sound of a voice reaches the other microphones some milliseconds later.
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

    /// For each microphone and each other one how much louder than the other it must be, in decibels, to hear a voice of its own;
    /// `nil` where the other says nothing about it.
    private static func leaks(_ levels: [[Float]], floors: [Float], voices: [Float]) -> [[Float?]] {
        var leaks = levels.map { _ in [Float?](repeating: nil, count: levels.count) }
        let count = levels.first?.count ?? 0
        let loudest = (0..<count).map { time -> Int? in
            guard levels.indices.contains(where: { levels[$0][time] > floors[$0] + loudMargin }) else {
                return nil
            }
            return levels.indices.max { levels[$0][time] - voices[$0] < levels[$1][time] - voices[$1] }
        }
        for one in levels.indices {
            for other in levels.indices where one < other {
                let differences = (0..<count).compactMap { time in
                    loudest[time] == one || loudest[time] == other
                        ? levels[one][time] - levels[other][time] : nil
                }
                guard differences.count >= 50 else { continue }
                let (low, high) = modes(differences)
                if high - low >= leastSeparation {
                    let margin = min(5, (high - low) / 4)
                    leaks[one][other] = low + margin
                    leaks[other][one] = margin - high
                } else {
                    // Only one of them speaks, and that is the louder one.
                    let middle = percentile(differences.sorted(), 0.5)
                    if middle > 0 { leaks[other][one] = 4 - middle } else { leaks[one][other] = middle + 4 }
                }
            }
        }
        return leaks
    }

    /// The two values around which numbers gather: medians of two groups, each nearer to its own.
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

    /// Levels at which something was recorded, in order of size.
    private static func known(_ levels: [Float]) -> [Float] {
        levels.filter { $0 > VoiceMeter.silence + 10 }.sorted()
    }

    private static func percentile(_ sorted: [Float], _ share: Double) -> Float {
        guard !sorted.isEmpty else { return VoiceMeter.silence }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// The mean power of five levels around each.
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

    /// Closes pauses, then leaves out sounds that are too short for speech, and lets the others fade.
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

    /// The stretches of a value.
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
    /// The first index from which on a condition holds, in an array where it holds to the end once it does.
    fileprivate func partitioningIndex(where holds: (Float) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
