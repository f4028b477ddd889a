/// The kinds of work that a recording makes a processor do, as far as they cost anything to speak of.
public enum WorkKind: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
    /// Decoding a JPEG at eighths of its size; per pixel of the whole one, since all of it is read.
    case decodeJPEG1 = "decode-jpeg-1/8"
    case decodeJPEG2 = "decode-jpeg-2/8"
    case decodeJPEG3 = "decode-jpeg-3/8"
    case decodeJPEG4 = "decode-jpeg-4/8"
    case decodeJPEG8 = "decode-jpeg"
    /// Per pixel of the frame.
    case decodeH264 = "decode-h264"
    /// A raw frame of another sampling to 4:2:0; per pixel.
    case unpack
    /// To another size, per pixel of the frame that is scaled and of the one that it becomes.
    case scale
    /// Turning or mirroring pixels, per pixel.
    case turn
    /// From one meaning of the codes to another, per pixel.
    case recolor
    /// x264, per pixel.
    case encodeUltrafast = "encode-ultrafast"
    case encodeBalanced = "encode-balanced"
    case encodeSuperfast = "encode-superfast"
    case encodeVeryfast = "encode-veryfast"
    /// AAC, per sample and channel. Of beeps and silence it costs a third of what a voice in a room does.
    case encodeAudio = "encode-sound"
    /// To the session's rate and clock, per sample and channel of the device.
    case resample
    /// What is written to a file: checked, queued, copied; per byte.
    case store
    /// Waking a thread for a frame or a slice of audio. It has no units.
    case deliver

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

    public init(_ preset: VideoEncodingSettings.Preset) {
        self =
            switch preset {
            case .ultrafast: .encodeUltrafast
            case .balanced: .encodeBalanced
            case .superfast: .encodeSuperfast
            case .veryfast: .encodeVeryfast
            }
    }

    /// Whether it costs more where a frame has more detail.
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
