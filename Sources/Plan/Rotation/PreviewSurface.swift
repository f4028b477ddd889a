public import Media

/// The surface that shows a preview, as far as it turns.
public enum PreviewSurface: Sendable, Equatable {
    /// A surface that stays upright however the computer is held: a monitor on a desk, or a desktop that turns with gravity.
    case upright
    /// A part of the computer's screen that stays where it is on the screen: turned clockwise by so much from the screen's usual
    /// top. A surface that is locked to portrait on a tablet whose usual top is a short side is `.locked(.none)`.
    case locked(Rotation)
    /// A monitor that itself stands turned clockwise, whatever the computer does.
    case standing(Rotation)

    /// How far the surface is turned clockwise against gravity, while the computer has a clockwise turn.
    public func turn(whileComputerIs turn: Rotation) -> Rotation {
        switch self {
        case .upright: .none
        case .locked(let place): turn + place
        case .standing(let place): place
        }
    }
}
