/// Request to connect to a network camera. The recorder sends the request to the process that provides
/// network cameras.
package struct SourceRequest: Sendable, Equatable, Codable {
    /// Name of the camera and its audio on the media socket, as announced by the process.
    package var name: String
    /// Address of the camera, including secrets.
    package var url: Secret
    /// Whether the camera's frames are requested.
    package var video: Bool
    /// Whether the camera's audio is requested.
    package var audio: Bool

    /// Creates a connection request; each parameter sets the property of the same name.
    package init(name: String, url: Secret, video: Bool = false, audio: Bool = false) {
        (self.name, self.url, self.video, self.audio) = (name, url, video, audio)
    }
}

/// Command from the recorder to the process that provides network cameras. Each command is one line of JSON.
package struct SourceCommand: Sendable, Equatable, Codable {
    /// Camera to which the process stays connected until it ends.
    package var open: SourceRequest

    /// Creates the command to connect to a network camera.
    package init(open: SourceRequest) { self.open = open }
}

/// Status of a network camera, reported by the process that connects to it. Each report is one line of JSON,
/// sent on each change and once per second.
package struct SourceReport: Sendable, Equatable, Codable {
    /// Connection state of a network camera.
    package enum State: String, Sendable, Codable {
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
    package var source: String
    /// Current connection state.
    package var state: State
    /// Reason for the state, or a notice for the user while the camera is connected, as one sentence without
    /// secrets. The text is `nil` if there is nothing to report.
    package var text: String?

    /// Creates a status report; each parameter sets the property of the same name.
    package init(source: String, state: State, text: String? = nil) {
        (self.source, self.state, self.text) = (source, state, text)
    }
}
