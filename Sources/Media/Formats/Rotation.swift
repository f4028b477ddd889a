/// A right angle by which a stored picture is turned clockwise to be seen upright.
public enum Rotation: Int, Sendable, Hashable, Codable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270

    /// The same turn, counted the other way round. `nil` for what is no right angle.
    ///
    /// - Parameter degrees: 0…359.
    public init?(counterclockwiseDegrees degrees: Int) {
        self.init(rawValue: (360 - degrees) % 360)
    }

    public var degrees: Int { rawValue }

    /// Whether width and height change places.
    public var swapsSides: Bool { self == .quarter || self == .threeQuarters }
}
