internal import FoundationEssentials
public import Media

/// A packet of the program that came from another process.
public struct RemotePacket: Sendable {
    /// The encoding: `h264` or `aac`.
    public let codec: StreamParameters.Codec
    /// The encoded bytes.
    public let bytes: SharedBytes
    /// When it is shown or heard, since T0, or since the stream on standby began.
    public let presentedAt: MediaTime
    /// When it is decoded, from the same instant on.
    public let decodedAt: MediaTime
    /// How long it is shown or heard, in nanoseconds.
    public let duration: Nanoseconds
    /// Whether it can be decoded without earlier packets.
    public let isKey: Bool
    /// The stream's setup bytes, with its first packet; else `nil`.
    public let setup: [UInt8]?
    /// The stream's parameters, with its first packet; else `nil`.
    public let parameters: StreamParameters?
    /// The instant from which the times count, on the session clock, with the stream's first packet; else `nil`.
    public let start: ClockTime?

    init?(_ header: MediaHeader, _ bytes: SharedBytes) {
        guard let codec = header.codec, let at = header.at_ns, let decode = header.decode_ns,
            let duration = header.duration_ns
        else { return nil }
        self.codec = codec
        self.bytes = bytes
        presentedAt = MediaTime(nanoseconds: at)
        decodedAt = MediaTime(nanoseconds: decode)
        self.duration = Nanoseconds(duration)
        isKey = header.key ?? false
        start = header.t0_ns.map { ClockTime(nanoseconds: $0) }
        let setup = header.setup.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        self.setup = setup
        parameters = setup.map { setup in
            var audio: AudioFormat?
            if let rate = header.sample_rate, let channels = header.channels, rate > 0, channels > 0 {
                audio = AudioFormat(rate: rate, channels: channels)
            }
            return StreamParameters(
                codec: codec, timeScale: max(header.time_scale ?? 1, 1), setup: setup,
                size: header.size.flatMap { $0.isPlausible ? $0 : nil },
                rate: header.rate.flatMap { FrameRate($0) }, audio: audio, priming: header.priming ?? 0)
        }
    }
}
