/// A rectangle in pixels, measured from the top left corner.
public struct PixelRectangle: Sendable, Hashable, Codable {
    /// Pixels from the left edge to the rectangle.
    public var x: Int
    /// Pixels from the top edge to the rectangle.
    public var y: Int
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int

    /// Makes a rectangle from its top left corner and its sides, in pixels.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The sides of the rectangle, in pixels.
    public var size: FrameSize { FrameSize(width: width, height: height) }

    /// Whether the two rectangles have a pixel in common.
    public func overlaps(_ other: PixelRectangle) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }

    /// The part of a resized frame that this rectangle is of the original: even position, even sides of at least 2, within
    /// that frame.
    ///
    /// - Parameters:
    ///   - size: The size of the frame that this is a part of.
    ///   - other: The size of the same frame after scaling; sides of at least 2.
    /// - Returns: This rectangle itself where the sizes are equal.
    package func scaled(from size: FrameSize, to other: FrameSize) -> Self {
        guard size != other else { return self }
        func even(_ place: Int, _ from: Int, _ to: Int) -> Int { (place * to + from) / (2 * from) * 2 }
        let left = min(even(x, size.width, other.width), other.width / 2 * 2 - 2)
        let top = min(even(y, size.height, other.height), other.height / 2 * 2 - 2)
        let (right, bottom) = (
            even(x + width, size.width, other.width), even(y + height, size.height, other.height)
        )
        return Self(
            x: left, y: top, width: max(2, min(right, other.width / 2 * 2) - left),
            height: max(2, min(bottom, other.height / 2 * 2) - top))
    }
}
