/// What a microphone delivers: 32-bit float samples, channels interleaved, full scale ± 1.
public struct AudioFormat: Sendable, Hashable, Codable {
    /// Samples per second and channel, nominal: 8000…192 000.
    public let rate: Int
    /// 1…8.
    public let channels: Int

    public init(rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
    }

    /// Every track is written at this rate, whatever the device's own.
    public static let sessionRate = 48_000
}
