public import Media

/// The format that a device was opened with when it was calibrated. In another format its latency is different.
public enum CalibratedFormat: Sendable, Hashable, Codable {
    /// A camera's pixel format, size and frame rate.
    case video(format: VideoFormat)
    /// A microphone's sample rate in Hz.
    case audio(rate: Int)

    /// The keys in files, which earlier versions wrote.
    private enum CodingKeys: String, CodingKey {
        case video = "picture"
        case audio = "sound"
    }

    /// Whether a camera (`video`) or a microphone (`audio`) was calibrated.
    package var mediaType: CaptureDevice.MediaType {
        switch self {
        case .video: .video
        case .audio: .audio
        }
    }
}

extension CalibratedFormat: CustomStringConvertible {
    /// The camera's format, or the microphone's sample rate: `48000 Hz`.
    public var description: String {
        switch self {
        case .video(let format): format.description
        case .audio(let rate): "\(rate) Hz"
        }
    }
}
