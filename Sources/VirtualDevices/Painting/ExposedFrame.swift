import Media

/// All that a picture of a made-up camera depends on.
struct ExposedFrame: Equatable {
    let number: Int64
    /// When the exposure began.
    let time: ClockTime
    /// Whether a clap happened while it lasted.
    let holdsClap: Bool
}
