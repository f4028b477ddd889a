/// What is heard in the program, and how it is encoded.
public struct AudioSettings: Sendable, Equatable {
    public enum Codec: String, Sendable, CaseIterable { case aac }

    public var codec: Codec
    /// Bits per second, 32 000…512 000.
    public var bitrate: Int
    /// Roles of microphones; empty for a program without audio.
    public var mix: [String]

    public init(codec: Codec = .aac, bitrate: Int = 160_000, mix: [String] = []) {
        self.codec = codec
        self.bitrate = bitrate
        self.mix = mix
    }
}
