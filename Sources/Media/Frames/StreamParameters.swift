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
    public let size: FrameSize?
    public let rate: FrameRate?
    public let color: ColorDescription?
    /// Audio only.
    public let audio: AudioFormat?
    /// Ticks before T0 that the coder needs and players must skip (AAC: its priming samples). An edit list tells them.
    public let priming: Int64

    /// Ticks per second of H.264 frames that keep their own capture times: those of a copied stream. 11 µs are less than what is
    /// known of a capture time.
    public static let ownTimeScale: Int64 = 90_000

    /// The grid that all presentation times lie on: `rate`, or `nil` of audio and of frames that keep their own times.
    public var grid: FrameRate? { hasOwnTimes ? nil : rate }

    /// Whether these are H.264 frames that keep their own capture times in place of a grid's. A file tells it by its time scale.
    public var hasOwnTimes: Bool { codec == .h264 && timeScale == Self.ownTimeScale }

    public init(
        codec: Codec, timeScale: Int64, setup: [UInt8] = [], size: FrameSize? = nil, rate: FrameRate? = nil,
        color: ColorDescription? = nil, audio: AudioFormat? = nil, priming: Int64 = 0
    ) {
        self.codec = codec
        self.timeScale = timeScale
        self.setup = setup
        self.size = size
        self.rate = rate
        self.color = color
        self.audio = audio
        self.priming = priming
    }
}
