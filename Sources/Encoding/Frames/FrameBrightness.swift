internal import CMedia
public import Media

/// Measures the mean brightness of frames for a fraction of what decoding them costs. Used by one thread alone.
///
/// JPEGs are decoded at an eighth of their sides, which needs only the means of their blocks; of raw frames every
/// fourth pixel of every fourth row is read. A lamp or a flash changes all of them.
public final class FrameBrightness {
    private let decoder = JPEGDecoder()
    private var memory = SharedBytes(count: 0)

    private static let step = 4
    private static let scale = JPEGScale.smallest

    /// Makes a meter with a decoder of its own.
    public init() {}

    /// Measures the mean luma of a frame: 0 black, 1 white, whatever its range; codes outside the legal range lead a
    /// little beyond 0 and 1.
    ///
    /// - Returns: `nil` for a damaged JPEG, for planes that do not lie in their memory, and for H.264, which must be
    ///   decoded first.
    public func mean(of frame: CapturedFrame) -> Double? {
        withExtendedLifetime(frame) {
            switch frame.pixel {
            case .h264: nil
            case .mjpeg: mean(ofJPEG: frame.memory)
            case .yuyv: mean(of: frame, first: 0, pixelBytes: 2)
            case .uyvy: mean(of: frame, first: 1, pixelBytes: 2)
            case .nv12, .i420, .i422, .converted, .grey: mean(of: frame, first: 0, pixelBytes: 1)
            case .bgra: bgraMean(of: frame)
            }
        }
    }

    /// Measures the mean luma of a JPEG: 0 black, 1 white; `nil` when it is damaged.
    func mean(ofJPEG bytes: SharedBytes) -> Double? {
        guard let header = decoder.header(of: bytes) else { return nil }
        let size = Self.scale.scaled(header.size)
        if memory.count < size.pixelCount { memory = SharedBytes(count: size.pixelCount) }
        let luma = memory.start.assumingMemoryBound(to: UInt8.self)
        guard decoder.decodeLuma(bytes, size, into: luma) else { return nil }
        return media_mean_byte(luma, size.width, Int32(size.width), Int32(size.height), 1, 1) / 255
    }

    private func mean(of frame: CapturedFrame, first: Int, pixelBytes: Int) -> Double? {
        guard frame.hasItsPlanes else { return nil }
        let code = codeMean(of: frame, first: first, pixelBytes: pixelBytes)
        // ITU-R BT.601 and BT.709: black is 16, white 235.
        return frame.color.range == .full ? code / 255 : (code - 16) / 219
    }

    /// Mean luma of a full-range BGRA frame, by the frame's matrix.
    private func bgraMean(of frame: CapturedFrame) -> Double? {
        guard frame.hasItsPlanes else { return nil }
        let (red, blue) = frame.color.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let parts = (0..<3).map { codeMean(of: frame, first: $0, pixelBytes: 4) }
        return (blue * parts[0] + (1 - red - blue) * parts[1] + red * parts[2]) / 255
    }

    private func codeMean(of frame: CapturedFrame, first: Int, pixelBytes: Int) -> Double {
        media_mean_byte(
            frame.plane(0) + first, frame.planes[0].stride,
            Int32(frame.size.width * pixelBytes - first),
            Int32(frame.size.height), Int32(Self.step * pixelBytes), Int32(Self.step))
    }
}
