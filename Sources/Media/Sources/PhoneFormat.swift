/// The format of a phone's frames, as its page tells it in JSON. Nothing of it is trusted.
public struct PhoneFormat: Sendable, Decodable {
    private let codec: String
    private let width: Int
    private let height: Int
    private let rate: Double
    private let matrix: String?
    private let full: Bool?

    private static let codecs: [String: PixelFormat] = ["h264": .h264, "jpeg": .mjpeg]
    private static let sides = 16...4096
    private static let rates = 1.0...120

    /// The format; `nil` for one that cannot be recorded: other codecs than H.264 and JPEG, sides that are odd or not within 16…4096, a
    /// rate not within 1…120 frames a second.
    public var video: VideoFormat? {
        guard let pixel = Self.codecs[codec], Self.sides.contains(width), Self.sides.contains(height),
            width.isMultiple(of: 2), height.isMultiple(of: 2), Self.rates.contains(rate),
            let rate = FrameRate(rate.rounded())
        else { return nil }
        return VideoFormat(pixel: pixel, size: FrameSize(width: width, height: height), rate: rate)
    }

    /// The colours: JPEG's own, and of H.264 what the page tells of the frames that were encoded.
    public var color: ColorDescription {
        Self.codecs[codec] == .mjpeg
            ? .jpeg
            : ColorDescription(
                matrix: matrix == "bt709" ? .bt709 : .bt601, range: full == true ? .full : .limited)
    }
}
