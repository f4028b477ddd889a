public import Media

/// What a run on standby does next: `SessionSteering.nextStep` returns it.
public enum StandbyStep: Sendable {
    /// Begin a recording, since one was requested.
    case start
    /// Change the leading role to this camera.
    case follow(CaptureDevice)
    /// End the run, since its end was requested.
    case end
}
