public import Media

/// Where a preview is shown, as far as that turns.
public enum PreviewSurface: Sendable, Equatable {
    /// What it shows stands upright however the computer is held: a monitor on a desk, or a desktop that turns with gravity.
    case upright
    /// A part of the computer's screen that stays where it is on the screen: turned clockwise by so much from the screen's usual
    /// top. A surface that is locked to portrait on a tablet whose usual top is a short side is `.locked(.none)`.
    case locked(Rotation)
    /// A monitor that itself stands turned clockwise, whatever the computer does.
    case standing(Rotation)

    /// By how much what it shows is turned clockwise against gravity.
    public func turn(whileComputerIs turn: Rotation) -> Rotation {
        switch self {
        case .upright: .none
        case .locked(let place): turn + place
        case .standing(let place): place
        }
    }
}
