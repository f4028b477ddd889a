public import Media

/// What one device of a `SynchronizedOutput` has for one tick.
public enum SynchronizedCapture: Sendable {
    /// The camera's frame captured nearest to the tick, which no tick before had.
    case frame(SynchronizedFrame)
    /// The microphone's audio from this tick to the next. A microphone always has it: what is missing of it is silence.
    case audio(SynchronizedAudio)
    /// The camera captured a frame for this tick, and it was lost.
    case dropped(LossCause)
    /// The camera captured nothing for this tick: it is slower than the grid, exposes for longer, or is away. Also where
    /// a frame was on its way for longer than the session's alignment delay: then nobody knew of it yet.
    case nothing
}
