/// The part of a camera's frame that is used: the crop to a rectangle or a shape, and the zoom into it. Pure.
public struct Framing: Sendable, Hashable, Codable {
    /// The rectangle that everything else is cut from, in pixels of the stored frame; `nil` for all of it.
    public var area: PixelRectangle?
    /// The shape that is cut out of `area`, as seen upright; `nil` keeps the area's own shape.
    public var shape: AspectRatio?
    /// The zoom into the shape. It cuts too, so nothing is seen in more detail than before.
    public var zoom: Zoom

    /// Makes a framing; by default the whole frame.
    public init(area: PixelRectangle? = nil, shape: AspectRatio? = nil, zoom: Zoom = .none) {
        self.area = area
        self.shape = shape
        self.zoom = zoom
    }

    /// The whole frame, without crop and zoom.
    public static let whole = Self()

    /// The part of a frame that is used.
    ///
    /// - Parameters:
    ///   - frame: The size of the stored frame.
    ///   - rotation: The clockwise rotation that brings the frame upright.
    /// - Returns: A rectangle in pixels of the stored frame, at an even position, with even sides where they are not the
    ///   frame's own; `nil` for the whole frame.
    public func part(of frame: FrameSize, rotation: Rotation) -> PixelRectangle? {
        let everything = PixelRectangle(x: 0, y: 0, width: frame.width, height: frame.height)
        let outer = area ?? everything
        let size = seen(of: outer.size, rotation: rotation)
        let (right, down) = direction(rotation)
        let part = PixelRectangle(
            x: outer.x + Self.place(in: outer.width - size.width, at: right),
            y: outer.y + Self.place(in: outer.height - size.height, at: down), width: size.width,
            height: size.height)
        return part == everything ? nil : part
    }

    /// Whether panning to the left or right, as seen upright, shows another part of the frame.
    public func canPan(in frame: FrameSize, rotation: Rotation) -> Bool {
        let room = room(in: frame, rotation: rotation)
        return (rotation.swapsSides ? room.down : room.across) >= 2
    }

    /// Whether tilting up or down, as seen upright, shows another part of the frame.
    public func canTilt(in frame: FrameSize, rotation: Rotation) -> Bool {
        let room = room(in: frame, rotation: rotation)
        return (rotation.swapsSides ? room.across : room.down) >= 2
    }

    /// The pixels of the stored frame that are not seen, across and down.
    private func room(in frame: FrameSize, rotation: Rotation) -> (across: Int, down: Int) {
        let outer = area?.size ?? frame
        let size = seen(of: outer, rotation: rotation)
        return (outer.width - size.width, outer.height - size.height)
    }

    private func seen(of outer: FrameSize, rotation: Rotation) -> FrameSize {
        let shaped = shape.map { (rotation.swapsSides ? $0.turned : $0).largest(within: outer) } ?? outer
        guard zoom.factor > 1 else { return shaped }
        func side(_ length: Int) -> Int {
            max(2, min(Int(rounding: Double(length) / zoom.factor / 2) * 2, length))
        }
        return FrameSize(width: side(shaped.width), height: side(shaped.height))
    }

    /// The pan and tilt as directions in the stored frame, each −1…1: the rotation to upright undone.
    private func direction(_ rotation: Rotation) -> (right: Double, down: Double) {
        switch rotation {
        case .none: (zoom.pan, -zoom.tilt)
        case .quarter: (-zoom.tilt, -zoom.pan)
        case .half: (-zoom.pan, zoom.tilt)
        case .threeQuarters: (zoom.tilt, zoom.pan)
        }
    }

    /// An even position within some room, from its beginning at −1 to its end at 1.
    private static func place(in room: Int, at position: Double) -> Int {
        let place = Int(rounding: Double(room) * (1 + position) / 4) * 2
        return max(0, min(place, room / 2 * 2))
    }
}
