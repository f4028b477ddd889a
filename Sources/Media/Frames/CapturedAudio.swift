/// A slice of audio as its microphone delivered it.
public final class CapturedAudio: Sendable {
    /// The rate and the channels of the samples.
    public let format: AudioFormat
    /// The capture time of the first sample on the session clock: arrival less the device's latency.
    public let capturedAt: ClockTime
    /// The number of samples per channel that the device counted before this slice. A jump is a loss.
    public let firstSample: Int64
    /// The samples: `frameCount` × `format.channels` values, interleaved, full scale ± 1.
    public let samples: [Float]

    /// Makes a slice from interleaved samples, full scale ± 1.
    public init(format: AudioFormat, capturedAt: ClockTime, firstSample: Int64, samples: [Float]) {
        self.format = format
        self.capturedAt = capturedAt
        self.firstSample = firstSample
        self.samples = samples
    }

    /// Number of samples per channel.
    public var frameCount: Int { samples.count / format.channels }

    /// The samples of some of the channels, interleaved.
    ///
    /// - Parameter pick: The channels, from 0, in the order in which they are wanted; all when empty.
    /// - Returns: `frameCount` values of each picked channel.
    package func samples(of pick: [Int]) -> [Float] {
        guard !pick.isEmpty else { return samples }
        var picked: [Float] = []
        picked.reserveCapacity(frameCount * pick.count)
        for frame in 0..<frameCount {
            for channel in pick { picked.append(samples[frame * format.channels + channel]) }
        }
        return picked
    }
}
