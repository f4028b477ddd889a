/// How far a frame is zoomed into, and where.
public struct Zoom: Sendable, Hashable, Codable {
    /// How many times larger things are seen, `factors`. 1 shows all.
    public var factor: Double
    /// From the middle, 0, to where the frame ends: 1 to the right, −1 to the left, as the camera looks at the scene and as its
    /// frame is seen upright. Mirroring changes nothing of it.
    public var pan: Double
    /// Likewise: 1 up, −1 down.
    public var tilt: Double

    public init(factor: Double = 1, pan: Double = 0, tilt: Double = 0) {
        self.factor = factor
        self.pan = pan
        self.tilt = tilt
    }

    /// All is seen, in the middle.
    public static let none = Self()
    /// Beyond it, what is cut out of a frame of usual size has too few pixels for anything.
    public static let factors = 1.0...8.0
    public static let positions = -1.0...1.0
}
