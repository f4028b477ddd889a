/// Which part of a camera's frame is used: the crop to a rectangle or a shape, and the zoom into it. Pure.
public struct Framing: Sendable, Hashable, Codable {
    /// What may be seen at all, in pixels of the stored frame; `nil` for all of it.
    public var area: PixelRectangle?
    /// What is cut out of that has this shape, as seen upright; `nil` keeps the shape that there is.
    public var shape: AspectRatio?
    /// By cutting too, so that nothing is seen better than before.
    public var zoom: Zoom

    public init(area: PixelRectangle? = nil, shape: AspectRatio? = nil, zoom: Zoom = .none) {
        self.area = area
        self.shape = shape
        self.zoom = zoom
    }

    /// All of the frame.
    public static let whole = Self()

    /// The part of a frame that is used.
    ///
    /// - Parameters:
    ///   - frame: Its size as it is stored.
    ///   - rotation: Turns it clockwise to be seen upright.
    /// - Returns: Of even place, and even sides where it is not all of the frame's side; `nil` where that is all.
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

    /// Whether moving to the right and the left, as seen upright, shows something else.
    public func canPan(in frame: FrameSize, rotation: Rotation) -> Bool {
        let room = room(in: frame, rotation: rotation)
        return (rotation.swapsSides ? room.down : room.across) >= 2
    }

    /// Whether moving up and down, as seen upright, shows something else.
    public func canTilt(in frame: FrameSize, rotation: Rotation) -> Bool {
        let room = room(in: frame, rotation: rotation)
        return (rotation.swapsSides ? room.across : room.down) >= 2
    }

    /// What is not seen, in pixels of the stored frame.
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

    /// Where to in the stored frame, each −1…1: the turn to upright undone.
    private func direction(_ rotation: Rotation) -> (right: Double, down: Double) {
        switch rotation {
        case .none: (zoom.pan, -zoom.tilt)
        case .quarter: (-zoom.tilt, -zoom.pan)
        case .half: (-zoom.pan, zoom.tilt)
        case .threeQuarters: (zoom.tilt, zoom.pan)
        }
    }

    /// An even place within some room, from its beginning, −1, to its end, 1.
    private static func place(in room: Int, at position: Double) -> Int {
        let place = Int(rounding: Double(room) * (1 + position) / 4) * 2
        return max(0, min(place, room / 2 * 2))
    }
}
