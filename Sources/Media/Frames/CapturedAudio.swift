/// A short piece of audio (a slice), as delivered by a microphone.
public final class CapturedAudio: Sendable {
    /// Sample rate and channels of the audio.
    public let format: AudioFormat
    /// Capture time of the first sample on the session clock: the arrival time minus the device's latency.
    public let capturedAt: ClockTime
    /// Number of samples per channel that the device counted before this slice. A gap in this number
    /// indicates lost samples.
    public let firstSample: Int64
    /// The interleaved samples: `frameCount` × `format.channels` values; full scale is ± 1.
    public let samples: [Float]

    /// Creates a slice of audio from interleaved samples; full scale is ± 1.
    public init(format: AudioFormat, capturedAt: ClockTime, firstSample: Int64, samples: [Float]) {
        self.format = format
        self.capturedAt = capturedAt
        self.firstSample = firstSample
        self.samples = samples
    }

    /// Number of samples per channel.
    public var frameCount: Int { samples.count / format.channels }

    /// Returns the samples of the selected channels, interleaved.
    ///
    /// - Parameter sourceChannels: Indices of the selected channels, starting at 0, in output order; empty
    ///   for all channels.
    /// - Returns: `frameCount` values for each selected channel.
    package func samples(of sourceChannels: [Int]) -> [Float] {
        guard !sourceChannels.isEmpty else { return samples }
        var selected: [Float] = []
        selected.reserveCapacity(frameCount * sourceChannels.count)
        for frame in 0..<frameCount {
            for channel in sourceChannels { selected.append(samples[frame * format.channels + channel]) }
        }
        return selected
    }
}

/// The format of a microphone's audio: 32-bit float samples, channels interleaved, full scale ± 1.
public struct AudioFormat: Sendable, Hashable, Codable {
    /// Nominal sample rate per channel in hertz: 8000…192 000.
    public let rate: Int
    /// Number of channels, 1…8.
    public let channels: Int

    /// Creates an audio format from a sample rate and a number of channels.
    public init(rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
    }

    /// Sample rate of every written track in hertz, regardless of the device's own rate.
    public static let sessionRate = 48_000
}
