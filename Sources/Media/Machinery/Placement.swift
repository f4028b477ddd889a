/// The part of a stored frame that is shown, and its place in a composed frame, so that nothing is distorted.
public struct Placement: Equatable {
    /// The shown part in pixels of the stored frame, before rotation. Its position is even, because neighbours share
    /// colour.
    public let source: PixelRectangle
    /// The place in pixels of the composed frame. Its position and size are even.
    public let target: PixelRectangle

    /// Places a frame in a rectangle. `nil` when nothing is left to see: a crop outside the frame, or a place without area.
    ///
    /// - Parameters:
    ///   - frame: The size of the stored frame.
    ///   - crop: The part of the stored frame that may be seen, clipped to the frame; `nil` for all of it.
    ///   - rotation: Turns the frame clockwise on its way into the place.
    ///   - filling: Whether the whole part is seen, or as much of its middle as fills the place.
    ///   - place: The rectangle to fill in the composed frame: even position and size.
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

    /// The largest even size of the frame's shape that fits into the room.
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
