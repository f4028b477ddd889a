internal import Media

/// What a change of a running session asks of its devices and files.
enum SessionOrder: Sendable {
    /// A camera is to deliver this; `nil` for nothing.
    case deliver(role: String, VideoFormat?)
    /// A microphone is off, so that it is silent wherever it is recorded or heard, or on again.
    case hear(role: String, Bool)
    /// A device's own track is finished.
    case endTrack(name: String)
    /// A camera's track begins, as soon as there is a file and an encoder for it.
    case beginTrack(PlannedCameraTrack)
    /// A camera that delivers already is taken in, and with it its track where there is one.
    case admit(CameraInput, PlannedCamera, PlannedCameraTrack?)
    /// A microphone's track begins, as soon as there is a file for it.
    case beginSound(PlannedMicrophoneTrack)
    /// A microphone that delivers already is taken in, and with it its track where there is one.
    case admitSound(MicrophoneInput, PlannedMicrophoneTrack?)

    /// The device that is taken in, for a recording that has ended meanwhile.
    func hand(to inputs: SessionInputs) {
        switch self {
        case .admit(let camera, _, _): inputs.add(camera)
        case .admitSound(let microphone, _): inputs.add(microphone)
        case .deliver, .hear, .endTrack, .beginTrack, .beginSound: break
        }
    }
}
