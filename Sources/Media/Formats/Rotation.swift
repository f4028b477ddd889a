/// A right angle by which a stored picture is turned clockwise to be seen upright.
public enum Rotation: Int, Sendable, Hashable, Codable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270

    public var degrees: Int { rawValue }

    /// Whether width and height change places.
    public var swapsSides: Bool { self == .quarter || self == .threeQuarters }
}
