public import Media

/// How a profile wants frames to be encoded.
public struct VideoSettings: Sendable, Equatable {
    public enum Codec: String, Sendable, CaseIterable { case h264 }

    /// What encodes.
    public enum Encoder: String, Sendable, CaseIterable {
        /// A hardware encoder that passed its trial on this computer and has room for the stream, else x264.
        case auto
        /// x264, whatever there is.
        case software
        /// Hardware or nothing: without it nothing is recorded.
        case hardware
    }

    public var codec: Codec
    public var preset: VideoEncodingSettings.Preset
    /// x264's constant rate factor, 0…51, lower is better. Hardware: as of `VideoEncodingSettings.hardware`.
    public var quality: Int
    public var encoder: Encoder

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
