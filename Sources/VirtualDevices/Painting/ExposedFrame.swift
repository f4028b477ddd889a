import Media

/// Everything that a synthetic camera's frame depends on, beside its scene.
struct ExposedFrame: Equatable {
    let number: Int64
    /// Start of the exposure on CLOCK_MONOTONIC.
    let time: ClockTime
    /// Whether a clap happened during the exposure.
    let holdsClap: Bool
}
