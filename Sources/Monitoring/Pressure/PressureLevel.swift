/// How hard a session is on its computer, in Apple's levels of system pressure and with its advice.
public enum PressureLevel: String, Sendable, Codable, CaseIterable {
    case nominal
    /// The session is worth watching; nothing needs to be done.
    case fair
    /// The session should do less: lower a rate, close other programs.
    case serious
    /// The session should do less soon: frames are lost, or the computer is near its end.
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

    /// Orders levels from `nominal` to `shutdown`.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
}
