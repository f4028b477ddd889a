/// How the computer is held, as far as that is known.
public enum MachineTurn: Sendable, Equatable {
    /// Clockwise, as who looks at its screen sees it, from the way it usually stands.
    case turned(Rotation)
    /// It has been lying flat, or was being moved, for as long as it was looked at.
    case undecided
    /// Nothing tells: why, as the end of a sentence without a full stop.
    case unknown(String)
}
