/// How a session uses the preferred camera: at the start, and while nothing is recorded.
///
/// No policy exchanges a camera in the middle of a recording.
public enum CameraPolicy: String, Sendable, Codable, CaseIterable {
    /// The session follows the preferred camera at once and offers no choice, as a code scanner does.
    case follow
    /// The session follows the preferred camera, and a person may choose, as in a call; a choice holds until a camera is plugged
    /// in later.
    case followAndChoose = "follow-and-choose"
    /// The session begins with the preferred camera and changes nothing by itself, as a browser does.
    case list
    /// The camera that last played a role plays it again, and no other does.
    case fixed

    /// Whether a session changes to another camera by itself when that one becomes the preferred one.
    public var follows: Bool {
        switch self {
        case .follow, .followAndChoose: true
        case .list, .fixed: false
        }
    }

    /// Whether a person may choose another camera while the session runs, and whether a choice is remembered.
    public var offersChoice: Bool {
        switch self {
        case .followAndChoose, .list: true
        case .follow, .fixed: false
        }
    }
}
