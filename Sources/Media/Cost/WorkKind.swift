/// The kinds of work that a recording makes a processor do, as far as their cost matters.
public enum WorkKind: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
    /// Decoding a JPEG at an eighth of its size; per pixel of the whole JPEG, since all of it is read.
    case decodeJPEG1 = "decode-jpeg-1/8"
    /// Decoding a JPEG at two eighths of its size; per pixel of the whole JPEG.
    case decodeJPEG2 = "decode-jpeg-2/8"
    /// Decoding a JPEG at three eighths of its size; per pixel of the whole JPEG.
    case decodeJPEG3 = "decode-jpeg-3/8"
    /// Decoding a JPEG at half of its size; per pixel of the whole JPEG.
    case decodeJPEG4 = "decode-jpeg-4/8"
    /// Decoding a JPEG at its full size; per pixel.
    case decodeJPEG8 = "decode-jpeg"
    /// Decoding an H.264 frame; per pixel.
    case decodeH264 = "decode-h264"
    /// Converting a raw frame of another sampling to 4:2:0; per pixel.
    case unpack
    /// Scaling a frame to another size; per pixel of the frame before and of the one after.
    case scale
    /// Rotating or mirroring a frame; per pixel.
    case turn
    /// Converting a frame to another colour matrix or range; per pixel.
    case recolor
    /// Encoding by x264 with the preset `ultrafast`; per pixel.
    case encodeUltrafast = "encode-ultrafast"
    /// Encoding by x264 with the preset `balanced`; per pixel.
    case encodeBalanced = "encode-balanced"
    /// Encoding by x264 with the preset `superfast`; per pixel.
    case encodeSuperfast = "encode-superfast"
    /// Encoding by x264 with the preset `veryfast`; per pixel.
    case encodeVeryfast = "encode-veryfast"
    /// Encoding AAC; per sample and channel. Beeps and silence cost a third of what a voice in a room does.
    case encodeAudio = "encode-sound"
    /// Converting audio to the session's rate and clock; per sample and channel of the device.
    case resample
    /// Checking, queueing and copying what is written to a file; per byte.
    case store
    /// Waking a thread for a frame or a slice of audio. It has no units.
    case deliver

    /// The kind of decoding a JPEG at a scale.
    public init(_ scale: JPEGScale) {
        self =
            switch scale.eighths {
            case 1: .decodeJPEG1
            case 2: .decodeJPEG2
            case 3: .decodeJPEG3
            case 4: .decodeJPEG4
            default: .decodeJPEG8
            }
    }

    /// The kind of encoding with a preset of x264.
    public init(_ preset: VideoEncodingSettings.Preset) {
        self =
            switch preset {
            case .ultrafast: .encodeUltrafast
            case .balanced: .encodeBalanced
            case .superfast: .encodeSuperfast
            case .veryfast: .encodeVeryfast
            }
    }

    /// Whether the work costs more where a frame or the audio has more detail.
    public var dependsOnDetail: Bool {
        switch self {
        case .decodeJPEG1, .decodeJPEG2, .decodeJPEG3, .decodeJPEG4, .decodeJPEG8, .decodeH264,
            .encodeUltrafast,
            .encodeBalanced, .encodeSuperfast, .encodeVeryfast, .encodeAudio:
            true
        case .unpack, .scale, .turn, .recolor, .resample, .store, .deliver: false
        }
    }
}
