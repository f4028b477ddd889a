/// Request to connect to a network camera. The recorder sends the request to the process that provides
/// network cameras.
public struct SourceRequest: Sendable, Equatable, Codable {
    /// Name of the camera and its audio on the media socket, as announced by the process.
    public var name: String
    /// Address of the camera, including secrets.
    public var url: Secret
    /// Whether the camera's frames are requested.
    public var video: Bool
    /// Whether the camera's audio is requested.
    public var audio: Bool

    /// Creates a connection request; each parameter sets the property of the same name.
    public init(name: String, url: Secret, video: Bool = false, audio: Bool = false) {
        (self.name, self.url, self.video, self.audio) = (name, url, video, audio)
    }
}

/// Command from the recorder to the process that provides network cameras. Each command is one line of JSON.
public struct SourceCommand: Sendable, Equatable, Codable {
    /// Camera to which the process stays connected until it ends.
    public var open: SourceRequest

    /// Creates the command to connect to a network camera.
    public init(open: SourceRequest) { self.open = open }
}

/// Status of a network camera, reported by the process that connects to it. Each report is one line of JSON,
/// sent on each change and once per second.
public struct SourceReport: Sendable, Equatable, Codable {
    /// Connection state of a network camera.
    public enum State: String, Sendable, Codable {
        /// The connection is being established.
        case connecting
        /// The user must act before the connection can be established; `text` explains what to do.
        case asking
        /// The camera is delivering data.
        case connected
        /// The connection was lost or couldn't be established; the process tries to connect again.
        case waiting
        /// A password, path, or format is wrong; the process tries to connect again less often.
        case refused
        /// The user has ended or denied the connection. The process won't connect again until the camera is
        /// requested again.
        case ended
    }

    /// Name of the camera, as given in the request.
    public var source: String
    /// Current connection state.
    public var state: State
    /// Reason for the state, or a notice for the user while the camera is connected, as one sentence without
    /// secrets. The text is `nil` if there is nothing to report.
    public var text: String?

    /// Creates a status report; each parameter sets the property of the same name.
    public init(source: String, state: State, text: String? = nil) {
        (self.source, self.state, self.text) = (source, state, text)
    }
}
