/// The bytes of one encoded frame or slice of audio, ready for a file.
public final class EncodedPacket: Sendable {
    /// The encoded bytes.
    public let bytes: SharedBytes
    /// The time at which it is shown, in ticks of its track's time scale since T0. Negative while an encoder is being
    /// primed.
    public let presentation: Int64
    /// The time at which it is decoded, in ticks of its track's time scale since T0: never after `presentation`, and
    /// strictly increasing in a track.
    public let decode: Int64
    /// How long it is shown, in ticks of its track's time scale.
    public let duration: Int64
    /// Whether it can be decoded without earlier packets.
    public let isKey: Bool

    /// Makes a packet; times are in ticks of its track's time scale since T0.
    public init(bytes: SharedBytes, presentation: Int64, decode: Int64, duration: Int64, isKey: Bool) {
        self.bytes = bytes
        self.presentation = presentation
        self.decode = decode
        self.duration = duration
        self.isKey = isKey
    }
}
