/// A part of a frame in shares of its width and height, so that it holds for any size: the whole is 0, 0, 1, 1.
public struct FramePart: Sendable, Hashable, Codable {
    /// Left edge, 0…1.
    public let x: Double
    /// Upper edge, 0…1.
    public let y: Double
    /// Width, above 0; `x + width` is at most 1.
    public let width: Double
    /// Height, above 0; `y + height` is at most 1.
    public let height: Double

    /// The whole frame.
    public static let whole = FramePart(unchecked: (0, 0, 1, 1))

    /// Takes a rectangle of a frame; what lies outside the frame is cut off.
    ///
    /// - Parameters:
    ///   - rectangle: In the frame's pixels.
    ///   - frame: Width and height of the frame in pixels.
    public init(_ rectangle: PixelRectangle, of frame: FrameSize) {
        func share(_ pixels: Int, _ whole: Int) -> Double {
            min(max(Double(pixels) / Double(max(whole, 1)), 0), 1)
        }
        let (left, top) = (share(rectangle.x, frame.width), share(rectangle.y, frame.height))
        self.init(
            unchecked: (
                left, top, min(share(rectangle.width, frame.width), 1 - left),
                min(share(rectangle.height, frame.height), 1 - top)
            ))
    }

    private init(unchecked shares: (x: Double, y: Double, width: Double, height: Double)) {
        (x, y, width, height) = shares
    }

    /// Creates a part; `nil` when it is empty, not finite or not inside the frame.
    public init?(x: Double, y: Double, width: Double, height: Double) {
        guard [x, y, width, height].allSatisfy(\.isFinite), x >= 0, y >= 0, width > 0, height > 0,
            x + width <= 1 + 1e-9, y + height <= 1 + 1e-9
        else { return nil }
        self.init(unchecked: (x, y, width, height))
    }

    /// The pixels of a frame of that size: even sides and an even position, at least 2 × 2.
    ///
    /// - Parameter frame: Width and height of the stored frame in pixels, at least 2 × 2.
    /// - Returns: The rectangle in the frame's pixels.
    public func pixels(of frame: FrameSize) -> PixelRectangle {
        func edges(_ begin: Double, _ length: Double, _ whole: Int) -> (begin: Int, length: Int) {
            let even = max(whole & ~1, 2)
            let from = min(Int(rounding: begin * Double(whole)) & ~1, even - 2)
            let to = min(max(Int(rounding: (begin + length) * Double(whole)) & ~1, from + 2), even)
            return (from, to - from)
        }
        let (left, width) = edges(x, width, frame.width)
        let (top, height) = edges(y, height, frame.height)
        return PixelRectangle(x: left, y: top, width: width, height: height)
    }
}
