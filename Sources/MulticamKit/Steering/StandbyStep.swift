public import Media

/// What a run on standby does next: `SessionSteering.nextStep` returns it.
public enum StandbyStep: Sendable {
    /// Begin a recording, since one was requested: at an instant where one is named, and for a time where one is.
    case start(at: ClockTime?, for: Nanoseconds?)
    /// Change the leading role to this camera.
    case follow(CaptureDevice)
    /// End the run, since its end was requested.
    case end
}
