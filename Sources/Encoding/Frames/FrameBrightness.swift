internal import CMulticamMedia
package import MulticamMedia

/// Measures the mean brightness of frames at a fraction of the cost of decoding them. Not thread-safe: use it from one
/// thread only.
///
/// JPEGs are decoded at 1/8 of their width and height, which requires only the mean of each 8×8 block. In raw
/// frames, every fourth pixel of every fourth row is read. Sampling at this resolution is enough to detect
/// when a lamp or a flash changes the brightness of the entire frame.
package final class FrameBrightness {
    private let decoder = JPEGDecoder()
    private var memory = SharedBytes(count: 0)

    private static let step = 4
    private static let scale = JPEGScale.smallest

    /// Creates a brightness meter with a separate JPEG decoder.
    package init() {}

    /// Measures the mean luma of a frame: 0 is black and 1 is white, for full-range and limited-range frames
    /// alike. Code values outside the legal range produce values slightly below 0 or above 1.
    ///
    /// - Returns: The mean luma; `nil` for a damaged JPEG, for planes outside the frame's memory, and for
    ///   H.264, which must be decoded first.
    package func mean(of frame: CapturedFrame) -> Double? {
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

    /// Measures the mean luma of a JPEG: 0 is black, 1 is white; `nil` if the JPEG is damaged.
    func mean(ofJPEG bytes: SharedBytes) -> Double? {
        guard let header = decoder.header(of: bytes) else { return nil }
        let size = Self.scale.scaled(header.size)
        if memory.count < size.pixelCount { memory = SharedBytes(count: size.pixelCount) }
        let luma = memory.start.assumingMemoryBound(to: UInt8.self)
        guard decoder.decodeLuma(bytes, size, into: luma) else { return nil }
        let code = media_mean_byte(luma, size.width, Int32(size.width), Int32(size.height), 1, 1)
        return Self.brightness(ofCode: code, in: JPEGMarkers(bytes.bytes)?.color ?? .jpeg)
    }

    private func mean(of frame: CapturedFrame, first: Int, pixelBytes: Int) -> Double? {
        guard frame.hasValidPlanes else { return nil }
        let code = codeMean(of: frame, first: first, pixelBytes: pixelBytes)
        return Self.brightness(ofCode: code, in: frame.color)
    }

    private static func brightness(ofCode code: Double, in color: ColorDescription) -> Double {
        // In ITU-R BT.601 and BT.709, black is code 16 and white is code 235.
        color.range == .full ? code / 255 : (code - 16) / 219
    }

    /// Mean luma of a full-range BGRA frame, using the frame's matrix.
    private func bgraMean(of frame: CapturedFrame) -> Double? {
        guard frame.hasValidPlanes else { return nil }
        let (red, blue) = frame.color.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let parts = (0..<3).map { codeMean(of: frame, first: $0, pixelBytes: 4) }
        return (blue * parts[0] + (1 - red - blue) * parts[1] + red * parts[2]) / 255
    }

    private func codeMean(of frame: CapturedFrame, first: Int, pixelBytes: Int) -> Double {
        media_mean_byte(
            frame.startOfPlane(0) + first, frame.planes[0].stride,
            Int32(frame.size.width * pixelBytes - first),
            Int32(frame.size.height), Int32(Self.step * pixelBytes), Int32(Self.step))
    }
}
