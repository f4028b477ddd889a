/// The visible part of a stored frame, and its position in a composed frame. A placement never distorts the
/// frame.
package struct Placement: Equatable {
    /// The visible part, in pixels of the stored frame before rotation. The coordinates are even because
    /// adjacent pixels share chroma samples.
    package let source: PixelRectangle
    /// Position and size of the visible part in pixels of the composed frame, both even.
    package let target: PixelRectangle

    /// Places a frame in a rectangle. Returns `nil` if nothing is visible because the crop is outside the
    /// frame or the rectangle is empty.
    ///
    /// - Parameters:
    ///   - frame: The size of the stored frame.
    ///   - pixel: The pixel aspect ratio of the stored frame; `nil` for square pixels.
    ///   - crop: The visible part of the stored frame, clipped to the frame; `nil` for the whole frame.
    ///   - rotation: The clockwise rotation of the frame.
    ///   - fit: Whether the whole part is shown, or only its center, cropped to fill the rectangle.
    ///   - place: The rectangle to fill in the composed frame, with even position and size.
    package init?(
        of frame: FrameSize, pixel: AspectRatio? = nil, crop: PixelRectangle?, rotation: Rotation,
        fit: FrameFit,
        into place: PixelRectangle
    ) {
        var visible = PixelRectangle(x: 0, y: 0, width: frame.width, height: frame.height)
        if let crop {
            let (left, top) = (max(0, crop.x) & ~1, max(0, crop.y) & ~1)
            visible = PixelRectangle(
                x: left, y: top, width: min(frame.width, crop.x + crop.width) - left,
                height: min(frame.height, crop.y + crop.height) - top)
        }
        guard visible.width > 0, visible.height > 0, place.width >= 2, place.height >= 2 else { return nil }
        // The available size (`room`) is in the stored frame's orientation, so that one calculation handles
        // all rotations.
        let room = rotation.swapsSides ? place.size.transposed : place.size
        switch fit {
        case .contain:
            let content = Self.fitted(visible.size, pixel ?? .square, into: room)
            let size = rotation.swapsSides ? content.transposed : content
            source = visible
            target = PixelRectangle(
                x: place.x + (place.width - size.width) / 2 & ~1,
                y: place.y + (place.height - size.height) / 2 & ~1,
                width: size.width, height: size.height)
        case .cover:
            let seen = AspectRatio(room).inPixels(of: pixel ?? .square).largest(within: visible.size)
            source = PixelRectangle(
                x: visible.x + (visible.width - seen.width) / 2 & ~1,
                y: visible.y + (visible.height - seen.height) / 2 & ~1, width: seen.width, height: seen.height
            )
            target = place
        }
    }

    /// Returns the largest even size with the frame's aspect ratio that fits into the available space.
    private static func fitted(
        _ stored: FrameSize, _ pixel: AspectRatio, into room: FrameSize
    ) -> FrameSize {
        let frame = FrameSize(width: stored.width * pixel.width, height: stored.height * pixel.height)
        if frame.width * room.height >= frame.height * room.width {
            return FrameSize(
                width: room.width,
                height: even(frame.height * room.width, over: frame.width, atMost: room.height))
        }
        return FrameSize(
            width: even(frame.width * room.height, over: frame.height, atMost: room.width),
            height: room.height)
    }

    /// Returns the even number nearest to a fraction, at least 2.
    private static func even(_ dividend: Int, over divisor: Int, atMost limit: Int) -> Int {
        max(2, min((dividend + divisor) / (2 * divisor) * 2, limit))
    }
}

/// A JPEG decoding scale, in eighths of the full size. At smaller scales, the decoder skips part of the
/// inverse transform.
package struct JPEGScale: Sendable, Hashable, Codable, CaseIterable {
    /// Eighths of the full size: 1, 2, 3, 4 or 8.
    package let eighths: Int

    private init(eighths: Int) {
        self.eighths = eighths
    }

    /// Scales at which decoding is cheaper than decoding at full size and scaling down afterwards, in
    /// ascending order.
    ///
    /// For these scales, libjpeg-turbo 2.1 either has SIMD code or skips most of the transform. Scales of ⅞,
    /// ¾, and ⅝ take longer than full size.
    package static let allCases = [1, 2, 3, 4, 8].map { JPEGScale(eighths: $0) }
    /// The scale for decoding at full size.
    package static let whole = JPEGScale(eighths: 8)
    /// The scale for decoding at one eighth of the full size.
    package static let smallest = JPEGScale(eighths: 1)

    /// Returns the cheapest scale that still provides all required pixels.
    ///
    /// - Parameters:
    ///   - part: The size of the used part at full scale, in pixels.
    ///   - wanted: The size of the part after scaling, in pixels.
    /// - Returns: The smallest scale at which the part is at least as large as required; `whole` if all
    ///   scales are too small.
    package static func smallest(for part: FrameSize, wanted: FrameSize) -> JPEGScale {
        allCases.first { scale in
            let scaled = scale.scaled(part)
            return scaled.width >= wanted.width && scaled.height >= wanted.height
        } ?? whole
    }

    /// Returns the size of a frame decoded at this scale, rounded up as the JPEG library does.
    package func scaled(_ size: FrameSize) -> FrameSize {
        FrameSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
    }
}
