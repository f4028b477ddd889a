/// A scale at which a JPEG can be decoded, in eighths of its own size: smaller ones skip a part of the transform.
public struct JPEGScale: Sendable, Hashable, Codable, CaseIterable {
    /// Eighths of the full size: 1, 2, 3, 4 or 8.
    public let eighths: Int

    private init(eighths: Int) {
        self.eighths = eighths
    }

    /// The scales at which decoding costs less than decoding at full size and scaling down afterwards. Ascending.
    ///
    /// libjpeg-turbo 2.1 has vector code for them, or they skip most of the transform. ⅞, ¾ and ⅝ take longer than the
    /// whole.
    public static let allCases = [1, 2, 3, 4, 8].map { JPEGScale(eighths: $0) }
    /// The full size.
    public static let whole = JPEGScale(eighths: 8)
    /// An eighth of the full size.
    public static let smallest = JPEGScale(eighths: 1)

    /// The scale that costs least and still gives all the pixels that are wanted.
    ///
    /// - Parameters:
    ///   - part: The size of the used part at full scale, in pixels.
    ///   - wanted: The size that the part will be scaled to, in pixels.
    /// - Returns: The smallest scale at which the part is at least as large as wanted; `whole` where none is.
    public static func smallest(for part: FrameSize, wanted: FrameSize) -> JPEGScale {
        allCases.first { scale in
            let scaled = scale.scaled(part)
            return scaled.width >= wanted.width && scaled.height >= wanted.height
        } ?? whole
    }

    /// The size of a frame decoded at this scale, rounded up as the JPEG library does.
    public func scaled(_ size: FrameSize) -> FrameSize {
        FrameSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
    }
}
