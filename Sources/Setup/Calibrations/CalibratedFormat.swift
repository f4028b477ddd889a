public import Media

/// What a device was opened with when it was calibrated: its latency is another in another format.
public enum CalibratedFormat: Sendable, Hashable, Codable {
    case picture(format: VideoFormat)
    /// Samples per second.
    case sound(rate: Int)

    package var mediaType: CaptureDevice.MediaType {
        switch self {
        case .picture: .video
        case .sound: .audio
        }
    }
}

extension CalibratedFormat: CustomStringConvertible {
    public var description: String {
        switch self {
        case .picture(let format): format.description
        case .sound(let rate): "\(rate) Hz"
        }
    }
}
