public import Media

/// What one device of a `SynchronizedOutput` has for one tick.
public enum SynchronizedCapture: Sendable {
    /// The camera's picture captured nearest to the tick, which no tick before had.
    case picture(SynchronizedPicture)
    /// The microphone's sound from this tick to the next. A microphone always has it: what is missing of it is silence.
    case sound(SynchronizedSound)
    /// The camera captured a picture for this tick, and it was lost.
    case dropped(LossCause)
    /// The camera captured nothing for this tick: it is slower than the grid, exposes for longer, or is away. Also where
    /// a picture was on its way for longer than the session's alignment delay: then nobody knew of it yet.
    case nothing
}
