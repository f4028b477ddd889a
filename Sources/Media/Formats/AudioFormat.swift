/// The format of a microphone's audio: 32-bit float samples, channels interleaved, full scale ± 1.
public struct AudioFormat: Sendable, Hashable, Codable {
    /// Samples per second and channel, nominal: 8000…192 000.
    public let rate: Int
    /// Number of channels, 1…8.
    public let channels: Int

    /// Makes a format from its rate and its number of channels.
    public init(rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
    }

    /// Samples per second and channel of every written track, whatever the device's own rate.
    public static let sessionRate = 48_000
}
