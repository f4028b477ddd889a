/// The bytes of one encoded frame or slice of audio, ready for a file.
public final class EncodedPacket: Sendable {
    public let bytes: SharedBytes
    /// When it is shown, in ticks of its track's time scale since T0. Negative while an encoder is being primed.
    public let presentation: Int64
    /// When it is decoded: never after `presentation`, strictly increasing in a track.
    public let decode: Int64
    /// In ticks of the track's time scale.
    public let duration: Int64
    public let isKey: Bool

    public init(bytes: SharedBytes, presentation: Int64, decode: Int64, duration: Int64, isKey: Bool) {
        self.bytes = bytes
        self.presentation = presentation
        self.decode = decode
        self.duration = duration
        self.isKey = isKey
    }
}
