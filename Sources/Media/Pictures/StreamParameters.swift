/// What a file must know of a stream besides its packets.
public struct StreamParameters: Sendable, Equatable {
    public enum Codec: String, Sendable, Codable {
        case h264, mjpeg, aac
    }

    public let codec: Codec
    /// Ticks per second of the packets' times.
    public let timeScale: Int64
    /// H.264: Annex B or avcC parameter sets; AAC: AudioSpecificConfig (ISO/IEC 14496-3). Empty for MJPEG.
    public let setup: [UInt8]
    /// Video only.
    public let size: PictureSize?
    public let rate: FrameRate?
    public let color: ColorDescription?
    /// Sound only.
    public let sound: SoundFormat?
    /// Ticks before T0 that the coder needs and players must skip (AAC: its priming samples). An edit list tells them.
    public let priming: Int64

    public init(
        codec: Codec, timeScale: Int64, setup: [UInt8] = [], size: PictureSize? = nil, rate: FrameRate? = nil,
        color: ColorDescription? = nil, sound: SoundFormat? = nil, priming: Int64 = 0
    ) {
        self.codec = codec
        self.timeScale = timeScale
        self.setup = setup
        self.size = size
        self.rate = rate
        self.color = color
        self.sound = sound
        self.priming = priming
    }
}
