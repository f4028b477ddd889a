/// Width × height in pixels, each 1…16384.
public struct FrameSize: Sendable, Hashable, Codable {
    /// Lengths in pixels that a side may have: those that codecs and drivers know. Longer ones overflow a byte count.
    private static let sides = 1...16384

    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int

    /// Makes a size in pixels, without checking that it is plausible.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Reads a size such as `1280x720`. `nil` for anything else, and for sides outside 1…16384.
    public init?(_ text: String) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
            Self(width: width, height: height).isPlausible
        else { return nil }
        self.init(width: width, height: height)
    }

    /// Reads the size that `encode` writes.
    ///
    /// - Throws: `DecodingError` for sides outside 1…16384, as in an edited file: later arithmetic would overflow.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        width = try values.decode(Int.self, forKey: .width)
        height = try values.decode(Int.self, forKey: .height)
        guard isPlausible else {
            throw DecodingError.dataCorruptedError(
                forKey: .width, in: values, debugDescription: "\(width)x\(height) is no frame's size")
        }
    }

    /// Whether a frame can have this size: both sides lie in 1…16384. Sizes from devices and files need not.
    public var isPlausible: Bool { Self.sides.contains(width) && Self.sides.contains(height) }

    /// Width times height, in pixels.
    public var pixelCount: Int { width * height }

    /// The size after turning by a right angle.
    public var turned: Self { Self(width: height, height: width) }

    /// The size with half of each side, rounded up.
    public var halved: Self { Self(width: (width + 1) / 2, height: (height + 1) / 2) }
}

extension FrameSize: CustomStringConvertible {
    /// The size as `1280x720`.
    public var description: String { "\(width)x\(height)" }
}
