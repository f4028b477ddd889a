public import Media
public import Profiles

/// Why a camera cannot be chosen or switched to.
public enum SelectionRefusal: Error, Sendable, Equatable {
    /// The profile's policy offers no choice.
    case noChoice(CameraPolicy)
    /// The camera plays another role.
    case taken(CaptureDevice)
    /// No camera looks towards the position that the switch leads to.
    case nowhere(to: CaptureDevice.Position)
}

extension SelectionRefusal: CustomStringConvertible {
    /// The refusal as a message for people, with what to do about it.
    public var description: String {
        switch self {
        case .noChoice(let policy):
            "the profile offers no choice of cameras (choice.policy is \(policy.rawValue)). "
                + "Write `follow-and-choose` or `list` there to have one."
        case .taken(let camera):
            "“\(camera.name.printable())” (\(camera.selector.printable())) plays another role. Choose another camera, or let "
                + "the two change places."
        case .nowhere(let position):
            "there is no camera to switch to: none \(position == .back ? "looks to the back" : "is external or looks to the front")"
                + ". Tell which one does with `multicam devices --set CAMERA --position \(position.rawValue)`, or name the camera."
        }
    }
}
