/// How far, and where, a frame is zoomed into.
public struct Zoom: Sendable, Hashable, Codable {
    /// How many times larger things are seen, 1…8; 1 shows all.
    public var factor: Double
    /// Horizontal place of the zoomed part, −1…1: 0 in the middle, 1 at the frame's right edge, −1 at its left.
    ///
    /// Right is as the camera looks at the scene, in the upright frame. Mirroring does not change it.
    public var pan: Double
    /// Vertical place of the zoomed part, −1…1: 0 in the middle, 1 at the top of the upright frame, −1 at its bottom.
    public var tilt: Double

    /// Makes a zoom; by default the whole frame.
    public init(factor: Double = 1, pan: Double = 0, tilt: Double = 0) {
        self.factor = factor
        self.pan = pan
        self.tilt = tilt
    }

    /// The whole frame.
    public static let none = Self()
    /// The factors that a zoom may have. Beyond 8 the part that is cut out of a usual frame has too few pixels.
    public static let factors = 1.0...8.0
    /// The values that `pan` and `tilt` may have.
    public static let positions = -1.0...1.0
}
