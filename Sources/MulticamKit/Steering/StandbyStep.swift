public import Media

/// What comes next where devices stand by.
public enum StandbyStep: Sendable {
    /// Somebody wants a recording to begin.
    case start
    /// The leading role is to have this camera.
    case follow(CaptureDevice)
    /// Somebody wants it to end.
    case end
}
