public import Media

/// How a profile wants frames to be encoded.
public struct VideoSettings: Sendable, Equatable {
    /// The video codec.
    public enum Codec: String, Sendable, CaseIterable { case h264 }

    /// The encoder that a profile asks for.
    public enum Encoder: String, Sendable, CaseIterable {
        /// A hardware encoder that passed its trial on this computer and has room for the stream, else x264.
        case auto
        /// x264, even where a hardware encoder exists.
        case software
        /// A hardware encoder; without one nothing is recorded.
        case hardware
    }

    /// The video codec.
    public var codec: Codec
    /// The effort of the encoder.
    public var preset: VideoEncodingSettings.Preset
    /// x264's constant rate factor, 0…51; lower is better. For hardware see `VideoEncodingSettings.hardware`.
    public var quality: Int
    /// The encoder to use.
    public var encoder: Encoder

    /// Creates video settings.
    public init(
        codec: Codec = .h264, preset: VideoEncodingSettings.Preset = .balanced, quality: Int = 23,
        encoder: Encoder = .auto
    ) {
        self.codec = codec
        self.preset = preset
        self.quality = quality
        self.encoder = encoder
    }
}
