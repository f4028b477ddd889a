internal import Inputs
internal import Media
internal import Plan

/// An order that follows from a change of a running session, for its devices and files.
enum SessionOrder: Sendable {
    /// The plan changes devices that are there already.
    case change(DeviceOrder)
    /// A camera that delivers already is taken in, with its track if it has one.
    case admit(CameraInput, PlannedCamera, PlannedCameraTrack?)
    /// A role's input takes over the source of another input, which delivers already.
    case exchange(role: String, CameraInput)
    /// A microphone that delivers already is taken in, with its track if it has one.
    case admitAudio(MicrophoneInput, PlannedMicrophoneTrack?)

    /// Hands the device of the order to the inputs, which stop it, when the recording has ended before taking it in.
    func hand(to inputs: SessionInputs) {
        switch self {
        case .admit(let camera, _, _): inputs.add(camera)
        case .exchange(_, let camera): _ = MediaThread(name: "stop") { camera.source.stop() }
        case .admitAudio(let microphone, _): inputs.add(microphone)
        case .change: break
        }
    }
}
