/// The orientation of the computer, as far as it is known.
public enum MachineTurn: Sendable, Equatable {
    /// The computer is turned clockwise by this angle from its usual position, as seen by a person in front of its screen.
    case turned(Rotation)
    /// The computer has been lying flat, or has been moving, since the tracker began to look.
    case undecided
    /// No sensor tells the orientation. The text says why, as the end of a sentence without a full stop.
    case unknown(String)
}
