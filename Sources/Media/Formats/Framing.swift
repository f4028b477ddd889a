/// The used part of a camera's frame: a crop to a rectangle or an aspect ratio, and a digital zoom. `Framing`
/// is a pure value type.
package struct Framing: Sendable, Hashable, Codable {
    /// The first crop rectangle, in pixels of the stored frame; `nil` for the whole frame.
    package var area: PixelRectangle?
    /// The aspect ratio of the crop within `area`, as seen upright; `nil` keeps the area's own ratio.
    package var shape: AspectRatio?
    /// Digital zoom into the cropped area. The zoom only crops the frame further, so it doesn't add detail.
    package var zoom: Zoom

    /// Creates a framing; the default is the whole frame.
    package init(area: PixelRectangle? = nil, shape: AspectRatio? = nil, zoom: Zoom = .none) {
        self.area = area
        self.shape = shape
        self.zoom = zoom
    }

    /// The whole frame, without crop or zoom.
    package static let whole = Self()

    /// Returns the used part of a frame.
    ///
    /// - Parameters:
    ///   - frame: The size of the stored frame.
    ///   - rotation: The clockwise rotation that makes the frame upright.
    /// - Returns: A rectangle in pixels of the stored frame, at an even position. Width and height are even
    ///   unless they equal those of the frame. The result is `nil` for the whole frame.
    package func part(of frame: FrameSize, rotation: Rotation) -> PixelRectangle? {
        let everything = PixelRectangle(x: 0, y: 0, width: frame.width, height: frame.height)
        let outer = area ?? everything
        let size = visibleSize(of: outer.size, rotation: rotation)
        let (right, down) = direction(rotation)
        let part = PixelRectangle(
            x: outer.x + Self.place(in: outer.width - size.width, at: right),
            y: outer.y + Self.place(in: outer.height - size.height, at: down), width: size.width,
            height: size.height)
        return part == everything ? nil : part
    }

    /// Whether panning left or right, as seen upright, can reveal another part of the frame.
    package func canPan(in frame: FrameSize, rotation: Rotation) -> Bool {
        let room = unusedPixels(in: frame, rotation: rotation)
        return (rotation.swapsSides ? room.down : room.across) >= 2
    }

    /// Whether tilting up or down, as seen upright, can reveal another part of the frame.
    package func canTilt(in frame: FrameSize, rotation: Rotation) -> Bool {
        let room = unusedPixels(in: frame, rotation: rotation)
        return (rotation.swapsSides ? room.across : room.down) >= 2
    }

    /// Returns the number of unused pixels in the stored frame, horizontally and vertically.
    private func unusedPixels(in frame: FrameSize, rotation: Rotation) -> (across: Int, down: Int) {
        let outer = area?.size ?? frame
        let size = visibleSize(of: outer, rotation: rotation)
        return (outer.width - size.width, outer.height - size.height)
    }

    private func visibleSize(of outer: FrameSize, rotation: Rotation) -> FrameSize {
        let shaped = shape.map { (rotation.swapsSides ? $0.transposed : $0).largest(within: outer) } ?? outer
        guard zoom.factor > 1 else { return shaped }
        func side(_ length: Int) -> Int {
            max(2, min(Int(rounding: Double(length) / zoom.factor / 2) * 2, length))
        }
        return FrameSize(width: side(shaped.width), height: side(shaped.height))
    }

    /// Returns pan and tilt as directions in the stored frame, before the frame is rotated upright. Both
    /// values are in −1…1.
    private func direction(_ rotation: Rotation) -> (right: Double, down: Double) {
        switch rotation {
        case .none: (zoom.pan, -zoom.tilt)
        case .quarter: (-zoom.tilt, -zoom.pan)
        case .half: (-zoom.pan, zoom.tilt)
        case .threeQuarters: (zoom.tilt, zoom.pan)
        }
    }

    /// Returns an even pixel offset for a position: 0 at position −1, the full available range at position 1.
    private static func place(in room: Int, at position: Double) -> Int {
        let place = Int(rounding: Double(room) * (1 + position) / 4) * 2
        return max(0, min(place, room / 2 * 2))
    }
}

/// Digital zoom into a frame: magnification and position.
package struct Zoom: Sendable, Hashable, Codable {
    /// Magnification, 1…8; 1 shows the whole frame.
    package var factor: Double
    /// Horizontal position of the zoomed area, −1…1: 0 is the center, 1 is the frame's right edge, and −1 is
    /// the frame's left edge.
    ///
    /// "Right" means the right side of the upright frame as seen by the camera. Mirroring the frame doesn't
    /// change the pan direction.
    package var pan: Double
    /// Vertical position of the zoomed area, −1…1: 0 is the center, 1 is the top of the upright frame, and −1
    /// is the bottom.
    package var tilt: Double

    /// Creates a zoom; the default is the whole frame.
    package init(factor: Double = 1, pan: Double = 0, tilt: Double = 0) {
        self.factor = factor
        self.pan = pan
        self.tilt = tilt
    }

    /// No zoom: the whole frame.
    package static let none = Self()
    /// Valid zoom factors. At factors above 8, the cropped area of a typical frame has too few pixels.
    package static let factors = 1.0...8.0
    /// Valid values of `pan` and `tilt`.
    package static let positions = -1.0...1.0
}

/// A part of a frame as fractions of the frame's width and height, valid for any frame size. The values for
/// the whole frame are 0, 0, 1, 1.
public struct FramePart: Sendable, Hashable, Codable {
    /// Left edge as a fraction of the frame's width, 0…1.
    public let x: Double
    /// Top edge as a fraction of the frame's height, 0…1.
    public let y: Double
    /// Width as a fraction of the frame's width, above 0; `x + width` is at most 1.
    public let width: Double
    /// Height as a fraction of the frame's height, above 0; `y + height` is at most 1.
    public let height: Double

    /// The whole frame.
    public static let whole = FramePart(unchecked: (0, 0, 1, 1))

    /// Creates a part of a frame from a rectangle, which is clipped to the frame.
    ///
    /// - Parameters:
    ///   - rectangle: The rectangle, in the frame's pixels.
    ///   - frame: Width and height of the frame in pixels.
    package init(_ rectangle: PixelRectangle, of frame: FrameSize) {
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

    /// Creates a part of a frame; returns `nil` if the part is empty, not finite, or not inside the frame.
    public init?(x: Double, y: Double, width: Double, height: Double) {
        guard [x, y, width, height].allSatisfy(\.isFinite), x >= 0, y >= 0, width > 0, height > 0,
            x + width <= 1 + 1e-9, y + height <= 1 + 1e-9
        else { return nil }
        self.init(unchecked: (x, y, width, height))
    }

    /// Returns the same part of the frame after the frame is rotated clockwise.
    package func turned(by rotation: Rotation) -> FramePart {
        switch rotation {
        case .none: self
        case .quarter: FramePart(unchecked: (max(0, 1 - y - height), x, height, width))
        case .half: FramePart(unchecked: (max(0, 1 - x - width), max(0, 1 - y - height), width, height))
        case .threeQuarters: FramePart(unchecked: (y, max(0, 1 - x - width), height, width))
        }
    }

    /// Returns the part that two parts of a frame share; `nil` if they don't overlap.
    package func intersection(_ other: FramePart) -> FramePart? {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return FramePart(
            x: left, y: top, width: min(x + width, other.x + other.width) - left,
            height: min(y + height, other.y + other.height) - top)
    }

    /// Returns the part in pixels of a frame with this size. Position, width, and height are even, and the
    /// rectangle is at least 2 × 2 pixels.
    ///
    /// - Parameter frame: Width and height of the stored frame in pixels, at least 2 × 2.
    /// - Returns: The rectangle in the frame's pixels.
    package func pixels(of frame: FrameSize) -> PixelRectangle {
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

/// Rectangle in pixels, with the origin at the top left corner.
public struct PixelRectangle: Sendable, Hashable, Codable {
    /// Distance in pixels from the left edge of the frame.
    public var x: Int
    /// Distance in pixels from the top edge of the frame.
    public var y: Int
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int

    /// Creates a rectangle from its top left corner, width, and height, in pixels.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Width and height of the rectangle in pixels.
    public var size: FrameSize { FrameSize(width: width, height: height) }

    /// Whether the two rectangles overlap by at least one pixel.
    package func overlaps(_ other: PixelRectangle) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }

    /// Returns the corresponding rectangle in a resized frame. The rectangle is inside that frame, with an
    /// even position and an even width and height of at least 2.
    ///
    /// - Parameters:
    ///   - size: The size of the frame that contains this rectangle.
    ///   - other: The size of that frame after scaling; width and height are at least 2.
    /// - Returns: The scaled rectangle; this rectangle, unchanged, if the sizes are equal.
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
