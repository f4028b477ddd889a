/// What became of a device, or of our view of it.
public enum DeviceChange: Sendable, Equatable {
    /// It was there when we began to look.
    case present(CaptureDevice)
    /// It was connected. One that was there before is a new instance with the same identity.
    case arrived(CaptureDevice)
    /// It is not connected any more; as it was last.
    case departed(CaptureDevice)
    /// It is still connected, and something of it is new: a problem is over, or its microphone was found.
    case changed(CaptureDevice, before: CaptureDevice)
    /// A kind of device cannot be listed for now: told once, until it can be again.
    case problem(DeviceError)

    /// The device that this is about, as it is now.
    public var device: CaptureDevice? {
        switch self {
        case .present(let device), .arrived(let device), .departed(let device), .changed(let device, _):
            device
        case .problem: nil
        }
    }
}
