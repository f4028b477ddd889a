/// A rectangle in pixels, from the top left corner.
public struct PixelRectangle: Sendable, Hashable, Codable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public var size: FrameSize { FrameSize(width: width, height: height) }

    public func overlaps(_ other: PixelRectangle) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }

    /// The same part of a frame in another size, to even places and sides, at least 2 each, within that frame.
    ///
    /// - Parameters:
    ///   - size: Of the frame that this is a part of.
    ///   - other: Of the same frame, larger or smaller; sides of at least 2.
    /// - Returns: The same rectangle where the sizes are equal.
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
