import Media

/// All that a frame of a synthetic camera depends on.
struct ExposedFrame: Equatable {
    let number: Int64
    /// When the exposure began.
    let time: ClockTime
    /// Whether a clap happened while it lasted.
    let holdsClap: Bool
}
