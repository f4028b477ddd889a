internal import Media

/// The detector of audio that was too loud for its converter. A value: time comes with the audio.
///
/// Three successive samples of a channel at full scale are an overload, as in digital meters; fewer are audio that happens to
/// reach it. The detector needs samples as they were captured, since resampling rounds plateaus; audio that was limited before
/// the converter, or turned down after it, is not found.
struct ClippingWatch {
    /// The number of successive samples at full scale that make an overload.
    static let shortestRun = 3
    /// The highest code of 16 bits as a magnitude, which converters with more bits reach too.
    static let fullScale: Float = 32_767 / 32_768
    /// The time without an overload after which clipping is over.
    static let patience = Nanoseconds.seconds(10)

    /// The number of successive samples at full scale up to the last one, of each channel.
    private var runs: [Int]
    private var last: ClockTime?
    private(set) var isClipping = false

    init(channels: Int) {
        runs = Array(repeating: 0, count: channels)
    }

    /// Notes that a recording begins: clipping that lasts is reported again.
    mutating func begin() { isClipping = false }

    /// Whether a slice with this highest magnitude has to be examined.
    func concerns(peak: Float) -> Bool { peak >= Self.fullScale || runs.contains { $0 > 0 } }

    /// Examines a slice.
    ///
    /// - Parameters:
    ///   - samples: The interleaved samples.
    ///   - step: The number of channels in them.
    ///   - picked: The channels that count, one for each channel of the watch.
    /// - Returns: The number of samples that are parts of overloads found in the slice.
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
                // With the third sample the two before it become parts of an overload.
                found += run == Self.shortestRun ? run : run > Self.shortestRun ? 1 : 0
            }
            runs[index] = run
        }
        return found
    }

    /// Notes the end of a slice.
    ///
    /// - Parameters:
    ///   - found: The result of `count` for the slice.
    ///   - end: The time after its last sample.
    /// - Returns: `true` when clipping begins, `false` when it is over, `nil` otherwise.
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
