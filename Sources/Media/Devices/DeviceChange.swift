/// A change of the connected devices, or of what is known of one.
public enum DeviceChange: Sendable, Equatable {
    /// The device was connected when the watch began.
    case present(CaptureDevice)
    /// The device was connected. One that was there before is a new value with the same identity.
    case arrived(CaptureDevice)
    /// The device is no longer connected; the value is its last state.
    case departed(CaptureDevice)
    /// The device is still connected and differs from `before`: a problem is over, or its microphone was found.
    case changed(CaptureDevice, before: CaptureDevice)
    /// A kind of device cannot be listed for now. Reported once, until it can be again.
    case problem(DeviceError)

    /// The device that the change is about, in its present or last state; `nil` for a problem of listing.
    public var device: CaptureDevice? {
        switch self {
        case .present(let device), .arrived(let device), .departed(let device), .changed(let device, _):
            device
        case .problem: nil
        }
    }
}
