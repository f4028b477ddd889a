/// The audio of the program: the microphones in its mix, and how it is encoded.
public struct AudioSettings: Sendable, Equatable {
    /// The audio codec.
    public enum Codec: String, Sendable, CaseIterable { case aac }

    /// The audio codec.
    public var codec: Codec
    /// Bit rate in bits per second, 32 000…512 000.
    public var bitrate: Int
    /// Roles of the microphones in the mix; empty for a program without audio.
    public var mix: [String]

    /// Creates audio settings; without a mix the program has no audio.
    public init(codec: Codec = .aac, bitrate: Int = 160_000, mix: [String] = []) {
        self.codec = codec
        self.bitrate = bitrate
        self.mix = mix
    }
}
