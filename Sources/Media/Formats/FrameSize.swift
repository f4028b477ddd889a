/// Frame size in pixels: width × height. Plausible widths and heights are 1…16384.
public struct FrameSize: Sendable, Hashable, Codable {
    /// Valid widths and heights in pixels, as supported by codecs and drivers. Larger values would make byte
    /// counts overflow.
    private static let sides = 1...16384

    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int

    /// Creates a size in pixels without checking that it is plausible.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Parses a size such as `1280x720`. Returns `nil` for any other string, and for a width or height
    /// outside 1…16384.
    public init?(_ text: String) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
            Self(width: width, height: height).isPlausible
        else { return nil }
        self.init(width: width, height: height)
    }

    /// Decodes the size that `encode` writes.
    ///
    /// - Throws: `DecodingError` for a width or height outside 1…16384, for example in an edited file. Larger
    ///   values would make later arithmetic overflow.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        width = try values.decode(Int.self, forKey: .width)
        height = try values.decode(Int.self, forKey: .height)
        guard isPlausible else {
            throw DecodingError.dataCorruptedError(
                forKey: .width, in: values, debugDescription: "\(width)x\(height) is not a valid frame size")
        }
    }

    /// Whether a frame can have this size: width and height are in 1…16384. Sizes from devices and files may
    /// be outside this range.
    package var isPlausible: Bool { Self.sides.contains(width) && Self.sides.contains(height) }

    /// Number of pixels, width times height.
    package var pixelCount: Int { width * height }

    /// The size after a 90° rotation.
    package var transposed: Self { Self(width: height, height: width) }

    /// The size with width and height halved, rounded up.
    package var halved: Self { Self(width: (width + 1) / 2, height: (height + 1) / 2) }
}

extension FrameSize: CustomStringConvertible {
    /// The size in the form `1280x720`.
    public var description: String { "\(width)x\(height)" }
}

/// Named frame size. A camera offers a preset if one of its formats has that size.
package enum SizePreset: String, Sendable, Hashable, Codable, CaseIterable {
    case vga, hd720, hd1080, uhd4k

    /// The size in pixels, for example 1280 × 720 for `hd720`.
    package var size: FrameSize {
        switch self {
        case .vga: FrameSize(width: 640, height: 480)
        case .hd720: FrameSize(width: 1280, height: 720)
        case .hd1080: FrameSize(width: 1920, height: 1080)
        case .uhd4k: FrameSize(width: 3840, height: 2160)
        }
    }

    /// Returns the size preset for a frame size; `nil` for a size without a name.
    package init?(_ size: FrameSize) {
        guard let preset = Self.allCases.first(where: { $0.size == size }) else { return nil }
        self = preset
    }

    /// Returns the presets available in the given formats, in order of increasing size.
    package static func offered(by formats: [OfferedFormat]) -> [Self] {
        allCases.filter { preset in formats.contains { $0.size == preset.size } }
    }
}

/// Aspect ratio of a frame, width to height: `16:9`.
public struct AspectRatio: Sendable, Hashable, Codable {
    /// Horizontal term of the ratio, 1…16384.
    package let width: Int
    /// Vertical term of the ratio, 1…16384.
    package let height: Int

    /// Creates the aspect ratio of a frame size, without reducing it to lowest terms.
    package init(_ size: FrameSize) {
        (width, height) = (size.width, size.height)
    }

    /// Parses a ratio such as `16:9`. Returns `nil` for any other string, and for ratios below 1:10 or above
    /// 10:1.
    package init?(_ text: String) {
        let sides = text.split(separator: ":", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let width = Int(sides[0]), let height = Int(sides[1]), (1...16384).contains(width),
            (1...16384).contains(height), width <= 10 * height, height <= 10 * width
        else { return nil }
        (self.width, self.height) = (width, height)
    }

    /// The ratio 1:1, used for square pixels.
    package static let square = Self(width: 1, height: 1)

    /// Creates an aspect ratio in lowest terms; returns `nil` for terms above 16384 and for ratios below 1:10
    /// or above 10:1.
    package init?(width: Int, over height: Int) {
        var (a, b) = (width, height)
        while b > 0 { (a, b) = (b, a % b) }
        guard a > 0, width > 0 else { return nil }
        self.init("\(width / a):\(height / a)")
    }

    /// Converts this display aspect ratio to a storage aspect ratio for the given pixel aspect ratio: 16:9
    /// becomes 5:4 with 64:45 pixels.
    func inPixels(of pixel: AspectRatio) -> Self {
        Self(width: width * pixel.height, height: height * pixel.width)
    }

    /// Converts the display aspect ratio of an upright frame to the storage aspect ratio of the stored frame.
    ///
    /// - Parameters:
    ///   - pixel: The pixel aspect ratio of the stored frame.
    ///   - rotation: The clockwise rotation that makes the stored frame upright.
    /// - Returns: The aspect ratio for cropping the stored frame, in the orientation that `Framing` expects.
    package func stored(inPixelsOf pixel: AspectRatio, rotation: Rotation) -> Self {
        inPixels(of: rotation.swapsSides ? pixel.transposed : pixel)
    }

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
    }

    /// The aspect ratio after a 90° rotation.
    package var transposed: Self { Self(width: height, height: width) }

    /// Returns the largest size that has this aspect ratio and fits within another size. Width and height are
    /// rounded to the nearest even number, and are at least 2 pixels.
    ///
    /// A width or height that differs by at most 2 pixels from that of the other size isn't cropped: for
    /// example, a camera's 1366×768 is meant to be 16:9.
    package func largest(within size: FrameSize) -> FrameSize {
        if size.width * height >= size.height * width {
            let side = Self.even(size.height * width, over: height, atMost: size.width)
            return FrameSize(width: size.width - side <= 2 ? size.width : side, height: size.height)
        }
        let side = Self.even(size.width * height, over: width, atMost: size.height)
        return FrameSize(width: size.width, height: size.height - side <= 2 ? size.height : side)
    }

    /// Returns the even number nearest to a fraction, at least 2.
    private static func even(_ dividend: Int, over divisor: Int, atMost limit: Int) -> Int {
        max(2, min((dividend + divisor) / (2 * divisor) * 2, limit))
    }
}

extension AspectRatio: CustomStringConvertible {
    /// The ratio in the form `16:9`.
    public var description: String { "\(width):\(height)" }
}

/// Clockwise rotation, in multiples of 90°, that makes a stored frame upright.
public enum Rotation: Int, Sendable, Hashable, Codable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270

    /// Creates a rotation from a counterclockwise angle in degrees. Returns `nil` unless the angle is a
    /// multiple of 90.
    ///
    /// - Parameter degrees: The angle, 0…359.
    package init?(counterclockwiseDegrees degrees: Int) {
        self.init(rawValue: (360 - degrees) % 360)
    }

    private init(quarters: Int) {
        self =
            switch quarters & 3 {
            case 1: .quarter
            case 2: .half
            case 3: .threeQuarters
            default: .none
            }
    }

    /// The clockwise angle in degrees: 0, 90, 180, or 270.
    public var degrees: Int { rawValue }

    /// Whether the rotation swaps width and height.
    package var swapsSides: Bool { self == .quarter || self == .threeQuarters }

    private var quarters: Int { rawValue / 90 }

    /// Returns the combination of two rotations.
    package static func + (first: Rotation, second: Rotation) -> Rotation {
        Rotation(quarters: first.quarters + second.quarters)
    }

    /// Returns the first rotation minus the second.
    package static func - (first: Rotation, second: Rotation) -> Rotation {
        Rotation(quarters: first.quarters - second.quarters)
    }
}
