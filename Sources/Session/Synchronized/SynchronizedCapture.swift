public import Media

/// What one device of a `SynchronizedOutput` captured for one tick.
public enum SynchronizedCapture: Sendable {
    /// The camera's frame captured nearest to the tick. No earlier tick had it.
    case frame(SynchronizedFrame)
    /// The microphone's audio from this tick to the next. Missing audio is silence.
    case audio(SynchronizedAudio)
    /// The camera captured a frame for this tick, and the frame was lost.
    case dropped(LossCause)
    /// The camera captured no frame for this tick: it is slower than the grid, exposes for longer, or is away; or the
    /// frame took longer than the session's alignment delay and was unknown when the tick was decided.
    case nothing
}
