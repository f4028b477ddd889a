/// How hard a session is on its computer: Apple's levels of system pressure, with its advice.
public enum PressureLevel: String, Sendable, Codable, CaseIterable {
    case nominal
    /// Worth watching; nothing needs to be done.
    case fair
    /// Doing less is advised: lower a rate, close other programs.
    case serious
    /// Doing less is highly advised: frames are lost, or the computer soon is at its end.
    case critical
    /// The session must stop: the computer is about to end it.
    case shutdown
}

extension PressureLevel: Comparable {
    private var rank: Int {
        switch self {
        case .nominal: 0
        case .fair: 1
        case .serious: 2
        case .critical: 3
        case .shutdown: 4
        }
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
}
