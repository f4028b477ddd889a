/// The shape of a frame, as width to height: `16:9`.
public struct AspectRatio: Sendable, Hashable, Codable {
    /// The width's part of the ratio, 1…16384.
    public let width: Int
    /// The height's part of the ratio, 1…16384.
    public let height: Int

    /// The shape of a frame of this size, not reduced to lowest terms.
    public init(_ size: FrameSize) {
        (width, height) = (size.width, size.height)
    }

    /// Reads a ratio such as `16:9`. `nil` for anything else, and for shapes narrower than 1:10 or wider than 10:1.
    public init?(_ text: String) {
        let sides = text.split(separator: ":", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let width = Int(sides[0]), let height = Int(sides[1]), (1...16384).contains(width),
            (1...16384).contains(height), width <= 10 * height, height <= 10 * width
        else { return nil }
        (self.width, self.height) = (width, height)
    }

    private init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
    }

    /// The shape after turning by a right angle.
    public var turned: Self { Self(width: height, height: width) }

    /// The largest size of this shape within another, with the nearest even sides, at least 2 pixels each.
    ///
    /// A side that comes within 2 pixels of the whole stays whole: a camera's 1366×768 is meant to be 16:9.
    public func largest(within size: FrameSize) -> FrameSize {
        if size.width * height >= size.height * width {
            let side = Self.even(size.height * width, over: height, atMost: size.width)
            return FrameSize(width: size.width - side <= 2 ? size.width : side, height: size.height)
        }
        let side = Self.even(size.width * height, over: width, atMost: size.height)
        return FrameSize(width: size.width, height: size.height - side <= 2 ? size.height : side)
    }

    /// The even number nearest to a fraction, at least 2.
    private static func even(_ dividend: Int, over divisor: Int, atMost limit: Int) -> Int {
        max(2, min((dividend + divisor) / (2 * divisor) * 2, limit))
    }
}

extension AspectRatio: CustomStringConvertible {
    /// The ratio as `16:9`.
    public var description: String { "\(width):\(height)" }
}
