public import Media

/// How a profile wants pictures to be encoded.
public struct VideoSettings: Sendable, Equatable {
    public enum Codec: String, Sendable, CaseIterable { case h264 }

    public var codec: Codec
    public var preset: PictureEncodingSettings.Preset
    /// x264's constant rate factor, 0…51, lower is better.
    public var quality: Int

    public init(
        codec: Codec = .h264, preset: PictureEncodingSettings.Preset = .superfast, quality: Int = 23
    ) {
        self.codec = codec
        self.preset = preset
        self.quality = quality
    }
}
