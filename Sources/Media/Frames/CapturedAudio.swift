/// A slice of audio as its microphone delivered it.
public final class CapturedAudio: Sendable {
    public let format: AudioFormat
    /// When the first sample was captured: arrival less the device's latency.
    public let capturedAt: ClockTime
    /// The device's own count of samples before this slice. A jump is a loss.
    public let firstSample: Int64
    /// `frameCount` × `format.channels` values, interleaved, full scale ± 1.
    public let samples: [Float]

    public init(format: AudioFormat, capturedAt: ClockTime, firstSample: Int64, samples: [Float]) {
        self.format = format
        self.capturedAt = capturedAt
        self.firstSample = firstSample
        self.samples = samples
    }

    /// Samples per channel.
    public var frameCount: Int { samples.count / format.channels }

    /// What some of its channels have, interleaved.
    ///
    /// - Parameter pick: The channels, from 0, in the order in which they are wanted; all when empty.
    /// - Returns: `frameCount` values of each.
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
