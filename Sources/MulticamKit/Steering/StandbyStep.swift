public import Media

/// The next step of a run on standby.
public enum StandbyStep: Sendable {
    /// A recording was requested.
    case start
    /// The leading role changes to this camera.
    case follow(CaptureDevice)
    /// The end of the run was requested.
    case end
}
