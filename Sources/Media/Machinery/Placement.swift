/// Which part of a stored picture goes where in a composed one, so that nothing is distorted.
public struct Placement: Equatable {
    /// Of the stored picture, before it is turned. Even position, because colour is shared between neighbours.
    public let source: PixelRectangle
    /// In the composed picture. Even position and size.
    public let target: PixelRectangle

    /// `nil` when nothing is left to see: a crop outside the picture, or a frame without area.
    ///
    /// - Parameters:
    ///   - picture: The size of the stored picture.
    ///   - crop: The part of the stored picture that may be seen; clipped to the picture. `nil` for all of
    ///     it.
    ///   - rotation: Turns the picture clockwise on its way into the frame.
    ///   - filling: Whether the whole part is seen, or as much of its middle as fills the frame.
    ///   - frame: The rectangle to go into: even position and size.
    public init?(
        of picture: PictureSize, crop: PixelRectangle?, rotation: Rotation, filling: PictureLayer.Filling,
        into frame: PixelRectangle
    ) {
        var visible = PixelRectangle(x: 0, y: 0, width: picture.width, height: picture.height)
        if let crop {
            let (left, top) = (max(0, crop.x) & ~1, max(0, crop.y) & ~1)
            visible = PixelRectangle(
                x: left, y: top, width: min(picture.width, crop.x + crop.width) - left,
                height: min(picture.height, crop.y + crop.height) - top)
        }
        guard visible.width > 0, visible.height > 0, frame.width >= 2, frame.height >= 2 else { return nil }
        // In the stored picture's orientation, so that one rule serves all rotations.
        let room = rotation.swapsSides ? frame.size.turned : frame.size
        switch filling {
        case .fit:
            let content = Self.fitted(visible.size, into: room)
            let size = rotation.swapsSides ? content.turned : content
            source = visible
            target = PixelRectangle(
                x: frame.x + (frame.width - size.width) / 2 & ~1,
                y: frame.y + (frame.height - size.height) / 2 & ~1,
                width: size.width, height: size.height)
        case .fill:
            let seen = AspectRatio(room).largest(within: visible.size)
            source = PixelRectangle(
                x: visible.x + (visible.width - seen.width) / 2 & ~1,
                y: visible.y + (visible.height - seen.height) / 2 & ~1, width: seen.width, height: seen.height
            )
            target = frame
        }
    }

    /// The largest even size of the picture's shape that fits.
    private static func fitted(_ picture: PictureSize, into room: PictureSize) -> PictureSize {
        if picture.width * room.height >= picture.height * room.width {
            return PictureSize(
                width: room.width,
                height: even(picture.height * room.width, over: picture.width, atMost: room.height))
        }
        return PictureSize(
            width: even(picture.width * room.height, over: picture.height, atMost: room.width),
            height: room.height)
    }

    /// The even number nearest to a fraction, at least 2.
    private static func even(_ dividend: Int, over divisor: Int, atMost limit: Int) -> Int {
        max(2, min((dividend + divisor) / (2 * divisor) * 2, limit))
    }
}
