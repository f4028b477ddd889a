package import MulticamMedia

/// Finds and opens devices for a session that is running. The calls block until the devices deliver data.
package protocol DeviceProvider: Sendable {
    /// Adds a camera to the running recording.
    ///
    /// - Parameters:
    ///   - camera: The camera to add.
    ///   - role: A role name that no device of the recording uses yet.
    ///   - session: The session to add the camera to.
    /// - Throws: `SetupError` if the camera can't be opened, or if the recording doesn't accept it.
    func addCamera(
        _ camera: NewDevice<any CameraSource>, as role: String, to session: MulticamSession
    ) throws(SetupError)

    /// Adds a microphone to the running recording. The program mix doesn't include the microphone yet.
    ///
    /// - Parameters:
    ///   - microphone: The microphone to add.
    ///   - role: A role name that no device of the recording uses yet.
    ///   - session: The session to add the microphone to.
    /// - Throws: `SetupError` if the microphone can't be opened, or if the recording doesn't accept it.
    func addMicrophone(
        _ microphone: NewDevice<any MicrophoneSource>, as role: String, to session: MulticamSession
    ) throws(SetupError)

    /// Assigns another camera to a role of the running recording.
    ///
    /// - Parameters:
    ///   - role: The role of a camera that is being recorded.
    ///   - camera: The new camera of the role.
    ///   - session: The session that uses the camera.
    /// - Throws: `SetupError` if the camera can't be opened, or if the recording doesn't accept it.
    func replaceCamera(
        of role: String, with camera: NewDevice<any CameraSource>, in session: MulticamSession
    ) throws(SetupError)
}

/// A device to add to a running session.
package enum NewDevice<Source: Sendable>: Sendable {
    /// A selector as in a profile: `/dev/video2`, a name, `virtual:clap`, `remote:phone`.
    case selector(String)
    /// A source of the application, opened but not started.
    case source(Source)

    /// The selector, or `nil` for a source of the application.
    package var selector: String? { if case .selector(let selector) = self { selector } else { nil } }
    /// The source of the application, or `nil` for a selector.
    package var source: Source? { if case .source(let source) = self { source } else { nil } }
}
