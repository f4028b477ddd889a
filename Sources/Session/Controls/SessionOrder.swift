internal import Media
internal import Plan

/// What a change of a running session asks of its devices and files.
enum SessionOrder: Sendable {
    /// What the plan asks of devices that are there already.
    case change(DeviceOrder)
    /// A camera that delivers already is taken in, and with it its track where there is one.
    case admit(CameraInput, PlannedCamera, PlannedCameraTrack?)
    /// A microphone that delivers already is taken in, and with it its track where there is one.
    case admitAudio(MicrophoneInput, PlannedMicrophoneTrack?)

    /// The device that is taken in, for a recording that has ended meanwhile.
    func hand(to inputs: SessionInputs) {
        switch self {
        case .admit(let camera, _, _): inputs.add(camera)
        case .admitAudio(let microphone, _): inputs.add(microphone)
        case .change: break
        }
    }
}
