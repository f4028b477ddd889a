public import Media

/// What a device was opened with when it was calibrated: its latency is another in another format.
public enum CalibratedFormat: Sendable, Hashable, Codable {
    case video(format: VideoFormat)
    /// Samples per second.
    case audio(rate: Int)

    /// The words that files from earlier versions have for them.
    private enum CodingKeys: String, CodingKey {
        case video = "picture"
        case audio = "sound"
    }

    package var mediaType: CaptureDevice.MediaType {
        switch self {
        case .video: .video
        case .audio: .audio
        }
    }
}

extension CalibratedFormat: CustomStringConvertible {
    public var description: String {
        switch self {
        case .video(let format): format.description
        case .audio(let rate): "\(rate) Hz"
        }
    }
}
