/// The sizes at which a JPEG can be decoded, in eighths of its own: smaller ones skip a part of the transform.
public struct JPEGScale: Sendable, Hashable, Codable, CaseIterable {
    /// Of the full size.
    public let eighths: Int

    private init(eighths: Int) {
        self.eighths = eighths
    }

    /// Those at which decoding costs less than at full size and scaling down afterwards: libjpeg-turbo 2.1 has vector code for
    /// them, or they skip most of the transform. ⅞, ¾ and ⅝ take longer than the whole. Ascending.
    public static let allCases = [1, 2, 3, 4, 8].map { JPEGScale(eighths: $0) }
    public static let whole = JPEGScale(eighths: 8)
    public static let smallest = JPEGScale(eighths: 1)

    /// The scale that costs least and loses nothing.
    ///
    /// - Parameters:
    ///   - part: Of the full frame; it will be scaled to `wanted`.
    ///   - wanted: In pixels.
    /// - Returns: The smallest at which the part is still at least as large as wanted; whole where none is.
    public static func smallest(for part: FrameSize, wanted: FrameSize) -> JPEGScale {
        allCases.first { scale in
            let scaled = scale.scaled(part)
            return scaled.width >= wanted.width && scaled.height >= wanted.height
        } ?? whole
    }

    /// What becomes of a size, as the JPEG library rounds it: up.
    public func scaled(_ size: FrameSize) -> FrameSize {
        FrameSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
    }
}
