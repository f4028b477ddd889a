/// Which part of a stored frame goes where in a composed one, so that nothing is distorted.
public struct Placement: Equatable {
    /// Of the stored frame, before it is turned. Even position, because colour is shared between neighbours.
    public let source: PixelRectangle
    /// In the composed frame. Even position and size.
    public let target: PixelRectangle

    /// `nil` when nothing is left to see: a crop outside the frame, or a place without area.
    ///
    /// - Parameters:
    ///   - frame: The size of the stored frame.
    ///   - crop: The part of the stored frame that may be seen; clipped to the frame. `nil` for all of
    ///     it.
    ///   - rotation: Turns the frame clockwise on its way into the place.
    ///   - filling: Whether the whole part is seen, or as much of its middle as fills the place.
    ///   - place: The rectangle to go into: even position and size.
    public init?(
        of frame: FrameSize, crop: PixelRectangle?, rotation: Rotation, filling: FrameLayer.Filling,
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
        // In the stored frame's orientation, so that one rule serves all rotations.
        let room = rotation.swapsSides ? place.size.turned : place.size
        switch filling {
        case .fit:
            let content = Self.fitted(visible.size, into: room)
            let size = rotation.swapsSides ? content.turned : content
            source = visible
            target = PixelRectangle(
                x: place.x + (place.width - size.width) / 2 & ~1,
                y: place.y + (place.height - size.height) / 2 & ~1,
                width: size.width, height: size.height)
        case .fill:
            let seen = AspectRatio(room).largest(within: visible.size)
            source = PixelRectangle(
                x: visible.x + (visible.width - seen.width) / 2 & ~1,
                y: visible.y + (visible.height - seen.height) / 2 & ~1, width: seen.width, height: seen.height
            )
            target = place
        }
    }

    /// The largest even size of the frame's shape that fits.
    private static func fitted(_ frame: FrameSize, into room: FrameSize) -> FrameSize {
        if frame.width * room.height >= frame.height * room.width {
            return FrameSize(
                width: room.width,
                height: even(frame.height * room.width, over: frame.width, atMost: room.height))
        }
        return FrameSize(
            width: even(frame.width * room.height, over: frame.height, atMost: room.width),
            height: room.height)
    }

    /// The even number nearest to a fraction, at least 2.
    private static func even(_ dividend: Int, over divisor: Int, atMost limit: Int) -> Int {
        max(2, min((dividend + divisor) / (2 * divisor) * 2, limit))
    }
}
