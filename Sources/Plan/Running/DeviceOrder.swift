package import Media

/// An order to a device or a file that follows from a change of the running plan.
///
/// `RunningPlan` returns orders; the recorder carries them out.
package enum DeviceOrder: Sendable {
    /// A camera is to deliver this format; `nil` stops it.
    case deliver(role: String, VideoFormat?)
    /// A microphone is to be silent wherever it is recorded or heard (`false`), or to be heard again (`true`).
    case hear(role: String, Bool)
    /// The track of this name is to be finished.
    case endTrack(name: String)
    /// A camera's track is to begin, as soon as it has a file and an encoder.
    case beginTrack(PlannedCameraTrack)
    /// A microphone's track is to begin, as soon as it has a file.
    case beginAudio(PlannedMicrophoneTrack)
}
