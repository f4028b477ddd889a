package import MulticamMedia

/// Detects audio that exceeded the range of its A/D converter. This value type doesn't read a clock; it uses
/// only the capture times of the audio.
///
/// Three consecutive full-scale samples in a channel count as an overload, as in digital meters. Shorter runs
/// may be valid peaks. The detector requires unprocessed samples, because resampling smooths the flat peaks
/// of clipped audio. Overloads can't be detected if the audio was limited before the converter, or attenuated
/// after it.
struct ClippingMonitor {
    /// Minimum number of consecutive full-scale samples in an overload.
    static let shortestRun = 3
    /// The magnitude of the highest 16-bit sample value, which A/D converters with more than 16 bits also
    /// reach.
    static let fullScale: Float = 32_767 / 32_768
    /// Clipping has ended if no overload has occurred for this time.
    static let holdTime = Nanoseconds.seconds(10)

    /// Length of the current run of full-scale samples in each channel.
    private var runs: [Int]
    private var last: ClockTime?
    private(set) var isClipping = false

    init(channels: Int) {
        runs = Array(repeating: 0, count: channels)
    }

    /// Marks the start of a recording. Ongoing clipping is reported again.
    mutating func beginRecording() { isClipping = false }

    /// Returns whether a slice of audio with this peak magnitude must be examined for overloads.
    func needsExamination(peak: Float) -> Bool { peak >= Self.fullScale || runs.contains { $0 > 0 } }

    /// Examines a slice of audio for overloads.
    ///
    /// - Parameters:
    ///   - samples: The interleaved samples.
    ///   - step: Number of channels in the samples.
    ///   - selected: Indices of the channels to examine, one for each channel of the monitor.
    /// - Returns: Number of samples in the overloads that were found in this slice.
    mutating func countOverloads(_ samples: [Float], step: Int, selected: [Int]) -> Int {
        var found = 0
        for (index, channel) in selected.enumerated() {
            var run = runs[index]
            for place in stride(from: channel, to: samples.count, by: step) {
                guard abs(samples[place]) >= Self.fullScale else {
                    run = 0
                    continue
                }
                run += 1
                // With the third full-scale sample, the two samples before it also become part of the
                // overload.
                found += run == Self.shortestRun ? run : run > Self.shortestRun ? 1 : 0
            }
            runs[index] = run
        }
        return found
    }

    /// Records the result of a slice of audio.
    ///
    /// - Parameters:
    ///   - found: The result of `count` for the slice.
    ///   - end: The time after the slice's last sample.
    /// - Returns: `true` if clipping starts, `false` if clipping ends, `nil` otherwise.
    mutating func record(_ found: Int, to end: ClockTime) -> Bool? {
        if found > 0 {
            defer {
                last = end
                isClipping = true
            }
            return isClipping ? nil : true
        }
        guard isClipping, let last, end - last >= Self.holdTime else { return nil }
        isClipping = false
        return false
    }
}

/// Number of times that a microphone's signal exceeded the range of the A/D converter. Overloads within one
/// second count as one clipping event, so continuous distortion counts once per second. This value type
/// doesn't read a clock; it uses only the capture times of the audio.
package struct ClipCount: Sendable, Equatable {
    /// Total number of clipping events.
    package private(set) var total = 0
    /// Start times of the clipping events in the last minute, oldest first.
    private var recent: [ClockTime] = []

    private static let length = Nanoseconds.seconds(1)
    private static let maxRecentCount = 60

    /// Records an overload in a slice of audio.
    ///
    /// - Parameter time: Capture time of the slice's first sample, on `CLOCK_MONOTONIC`.
    mutating func recordOverload(at time: ClockTime) {
        if let last = recent.last, time < last + Self.length { return }
        total += 1
        if recent.count == Self.maxRecentCount { recent.removeFirst() }
        recent.append(time)
    }

    /// Returns the number of clipping events in the minute before a time on `CLOCK_MONOTONIC`.
    package func inLastMinute(at now: ClockTime) -> Int {
        recent.count { $0 > now - .seconds(60) }
    }
}
