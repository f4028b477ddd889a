/// What a word of a command line names, so that shells can propose words.
public enum ValueKind: Sendable, Equatable {
    /// Anything: nothing is proposed.
    case text
    /// One of these words, or else the name of a file where that is allowed.
    case words([String], orFile: Bool = false)
    /// Names of files.
    case file
    /// Names of folders.
    case folder
    /// A profile's name or its file.
    case profile
    /// A camera.
    case camera
    /// A camera or a microphone.
    case device
    /// A session folder.
    case recording
    /// A role of the profile, or of the session that runs.
    case role
    /// A role and the camera that plays it: `desk=usb:…`.
    case cameraOfRole
    /// A role and the microphone that plays it: `host=pulse:…`.
    case microphoneOfRole
    /// A command for a running session, with its words.
    case control

    /// Creates the kind that a placeholder of the help stands for, for example a folder for `DIR`.
    ///
    /// - Parameter placeholder: The placeholder. Small letters divided by `|` are the words that are allowed.
    init(placeholder: String) {
        switch placeholder {
        case "P": self = .profile
        case "FILE", "FILE|DIR": self = .file
        case "DIR": self = .folder
        case "FOLDER", "FOLDER-OR-FILE": self = .recording
        case "CAMERA", "DEVICE": self = .camera
        case "CAMERA|MICROPHONE": self = .device
        case "ROLE": self = .role
        default:
            let words = placeholder.split(separator: "|").map { String($0) }
            self = words.count > 1 && placeholder == placeholder.lowercased() ? .words(words) : .text
        }
    }
}
