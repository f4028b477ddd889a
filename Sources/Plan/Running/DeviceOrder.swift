package import Media

/// What a change of the running plan asks of devices and files that are there already.
///
/// `RunningPlan` returns it; whoever records carries it out.
package enum DeviceOrder: Sendable {
    /// A camera is to deliver this; `nil` for nothing.
    case deliver(role: String, VideoFormat?)
    /// A microphone is off, so that it is silent wherever it is recorded or heard, or on again.
    case hear(role: String, Bool)
    /// A device's own track is finished.
    case endTrack(name: String)
    /// A camera's track begins, as soon as there is a file and an encoder for it.
    case beginTrack(PlannedCameraTrack)
    /// A microphone's track begins, as soon as there is a file for it.
    case beginAudio(PlannedMicrophoneTrack)
}
