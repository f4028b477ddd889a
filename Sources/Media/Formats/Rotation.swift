/// A right angle by which a stored frame is turned clockwise to be seen upright.
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

    private init(quarters: Int) {
        self =
            switch quarters & 3 {
            case 1: .quarter
            case 2: .half
            case 3: .threeQuarters
            default: .none
            }
    }

    public var degrees: Int { rawValue }

    /// Whether width and height change places.
    public var swapsSides: Bool { self == .quarter || self == .threeQuarters }

    private var quarters: Int { rawValue / 90 }

    /// One after the other.
    public static func + (first: Rotation, second: Rotation) -> Rotation {
        Rotation(quarters: first.quarters + second.quarters)
    }

    /// What is left when the second is taken back.
    public static func - (first: Rotation, second: Rotation) -> Rotation {
        Rotation(quarters: first.quarters - second.quarters)
    }
}
