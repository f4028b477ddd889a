internal import Media

/// What a look at a screen has found.
struct ScreenLook {
    /// When the screen looked so.
    let time: ClockTime
    /// How far off that may be.
    let error: Nanoseconds
    /// Whether it may look otherwise than at the look before.
    let hasChanged: Bool
}
