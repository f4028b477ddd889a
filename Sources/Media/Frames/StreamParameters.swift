/// The properties of an encoded stream that its file must know besides the packets.
public struct StreamParameters: Sendable, Equatable {
    /// The encodings that tracks can have.
    public enum Codec: String, Sendable, Codable {
        case h264, mjpeg, aac
    }

    /// The encoding of the packets.
    public let codec: Codec
    /// Ticks per second of the packets' times.
    public let timeScale: Int64
    /// H.264: Annex B or avcC parameter sets; AAC: AudioSpecificConfig (ISO/IEC 14496-3). Empty for MJPEG.
    public let setup: [UInt8]
    /// Size of the stored frames in pixels; `nil` for audio.
    public let size: FrameSize?
    /// The nominal frame rate; `nil` for audio.
    public let rate: FrameRate?
    /// The colour matrix and range of the frames; `nil` for audio, and where unknown.
    public let color: ColorDescription?
    /// The rate and the channels of the audio; `nil` for video.
    public let audio: AudioFormat?
    /// Ticks before T0 that the encoder needs and players must skip (AAC: its priming samples). The file's edit list
    /// records them.
    public let priming: Int64

    /// Ticks per second of H.264 frames that keep their own capture times, as a copied stream's do. A tick of 11 µs is
    /// finer than a capture time is known.
    public static let ownTimeScale: Int64 = 90_000

    /// The rate of the grid that all presentation times lie on; `nil` for audio, and for frames that keep their own times.
    public var grid: FrameRate? { hasOwnTimes ? nil : rate }

    /// Whether these are H.264 frames that keep their own capture times in place of a grid's. A file shows it by its time
    /// scale.
    public var hasOwnTimes: Bool { codec == .h264 && timeScale == Self.ownTimeScale }

    /// Makes parameters; leave out what the kind of stream does not have.
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
