/// How a session goes by the camera that is preferred: at the start, and while nothing is recorded.
///
/// Whatever it says, a camera is never exchanged in the middle of a recording.
public enum CameraPolicy: String, Sendable, Codable, CaseIterable {
    /// The preferred camera is followed at once, and nobody is offered a choice: a code scanner.
    case follow
    /// It is followed, and a person may choose: that is remembered, until a camera is plugged in later. A call.
    case followAndChoose = "follow-and-choose"
    /// The preferred camera is the first of the list, and nothing changes by itself: a browser.
    case list
    /// What played a role last plays it again, and nothing else does.
    case fixed

    /// Whether another camera is taken without anybody's word when another one is preferred.
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
