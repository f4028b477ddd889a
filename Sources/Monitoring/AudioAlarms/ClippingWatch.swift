internal import Media

/// Finds audio that was too loud for its converter. A value: time comes with the audio.
///
/// As digital meters have it: three successive samples of a channel at full scale are an overload, fewer are audio that happens to
/// reach it. It sees samples as they were captured, since resampling rounds
/// plateaus; what was limited before the converter, or turned down after it, is not found.
struct ClippingWatch {
    static let shortestRun = 3
    /// The highest code of 16 bits: converters with more reach it too.
    static let fullScale: Float = 32_767 / 32_768
    /// It is over when there was none for so long.
    static let patience = Nanoseconds.seconds(10)

    /// Of each channel: successive samples at full scale up to the last one.
    private var runs: [Int]
    private var last: ClockTime?
    private(set) var isClipping = false

    init(channels: Int) {
        runs = Array(repeating: 0, count: channels)
    }

    /// What was told of before a recording is told of it too.
    mutating func begin() { isClipping = false }

    /// Whether a slice whose highest sample is this has to be looked at.
    func concerns(peak: Float) -> Bool { peak >= Self.fullScale || runs.contains { $0 > 0 } }

    /// Looks at a slice.
    ///
    /// - Parameters:
    ///   - samples: Interleaved.
    ///   - step: Channels in it.
    ///   - picked: Those that count, one for each channel of the watch.
    /// - Returns: How many samples are parts of overloads that were found in it.
    mutating func count(_ samples: [Float], step: Int, picked: [Int]) -> Int {
        var found = 0
        for (index, channel) in picked.enumerated() {
            var run = runs[index]
            for place in stride(from: channel, to: samples.count, by: step) {
                guard abs(samples[place]) >= Self.fullScale else {
                    run = 0
                    continue
                }
                run += 1
                // With the third the two before it become parts of one.
                found += run == Self.shortestRun ? run : run > Self.shortestRun ? 1 : 0
            }
            runs[index] = run
        }
        return found
    }

    /// Passes a slice's end.
    ///
    /// - Parameters:
    ///   - found: What `count` returned.
    ///   - end: After its last sample.
    /// - Returns: `true` when clipping begins, `false` when it is over.
    mutating func pass(_ found: Int, to end: ClockTime) -> Bool? {
        if found > 0 {
            defer {
                last = end
                isClipping = true
            }
            return isClipping ? nil : true
        }
        guard isClipping, let last, end - last >= Self.patience else { return nil }
        isClipping = false
        return false
    }
}
