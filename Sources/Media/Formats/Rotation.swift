/// The multiple of 90° by which a stored frame is turned clockwise to be seen upright.
public enum Rotation: Int, Sendable, Hashable, Codable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270

    /// Makes the rotation that a number of degrees counted counterclockwise stands for. `nil` unless it is a multiple of
    /// 90.
    ///
    /// - Parameter degrees: 0…359.
    public init?(counterclockwiseDegrees degrees: Int) {
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

    /// The clockwise angle in degrees: 0, 90, 180 or 270.
    public var degrees: Int { rawValue }

    /// Whether the rotation exchanges width and height.
    public var swapsSides: Bool { self == .quarter || self == .threeQuarters }

    private var quarters: Int { rawValue / 90 }

    /// The rotation by one angle after the other.
    public static func + (first: Rotation, second: Rotation) -> Rotation {
        Rotation(quarters: first.quarters + second.quarters)
    }

    /// The first rotation with the second one undone.
    public static func - (first: Rotation, second: Rotation) -> Rotation {
        Rotation(quarters: first.quarters - second.quarters)
    }
}
