internal import MulticamInputs
public import MulticamMedia
public import MulticamPlan
public import MulticamStills

/// Cameras and microphones that are added or replaced during a recording, their controls, and their stills.
extension MulticamSession {
    /// Adds a camera to the running recording. The camera gets a separate track if the other cameras have separate tracks,
    /// and the program can then show it. Returns when the camera delivers frames.
    ///
    /// - Parameters:
    ///   - selector: A selector as in a profile: `/dev/video2`, a name, `virtual:clap`.
    ///   - role: A role name that no device of the recording uses yet.
    /// - Throws: `SetupError` if the role or selector is invalid; if the device is missing or busy, or access
    ///   is denied; or if the recording doesn't accept the camera, or nothing is being recorded.
    public func addCamera(_ selector: String, as role: String) async throws(SetupError) {
        try await withProvider { (provider) throws(SetupError) in
            try provider.addCamera(.selector(selector), as: role, to: self)
        }
    }

    /// Adds a camera of the application to the running recording, like `addCamera` with a selector.
    ///
    /// - Parameters:
    ///   - source: The camera, opened but not started. The session stops it at the end of the recording.
    ///   - role: A role name that no device of the recording uses yet.
    /// - Throws: `SetupError` if the role is invalid, or if the recording doesn't accept the camera.
    public func addCamera(_ source: any CameraSource, as role: String) async throws(SetupError) {
        try await withProvider { (provider) throws(SetupError) in
            try provider.addCamera(.source(source), as: role, to: self)
        }
    }

    /// Adds a microphone to the running recording in its default channel configuration. The program mix doesn't include
    /// the microphone until `commit` adds it. Returns when the microphone delivers audio.
    ///
    /// - Parameters:
    ///   - selector: A selector as in a profile: `default`, a name, `virtual:tone`.
    ///   - role: A role name that no device of the recording uses yet.
    /// - Throws: `SetupError` if the role or selector is invalid, the device is missing or access is denied, or the
    ///   recording doesn't accept the microphone.
    public func addMicrophone(_ selector: String, as role: String) async throws(SetupError) {
        try await withProvider { (provider) throws(SetupError) in
            try provider.addMicrophone(.selector(selector), as: role, to: self)
        }
    }

    /// Adds a microphone of the application to the running recording, like `addMicrophone` with a selector.
    ///
    /// - Parameters:
    ///   - source: The microphone, opened but not started. The session stops it at the end of the recording.
    ///   - role: A role name that no device of the recording uses yet.
    /// - Throws: `SetupError` if the role is invalid, or if the recording doesn't accept the microphone.
    public func addMicrophone(_ source: any MicrophoneSource, as role: String) async throws(SetupError) {
        try await withProvider { (provider) throws(SetupError) in
            try provider.addMicrophone(.source(source), as: role, to: self)
        }
    }

    /// Opens another camera for a role of the running recording. The role's tracks, the program, and taps continue with
    /// the new camera's frames; frames missing in between are counted with the cause `reconfigured`. Returns when the
    /// new camera has replaced the old one. On standby, the role keeps the new camera until `close`.
    ///
    /// The camera is opened with the role's settings from the profile. If the camera doesn't support the size or rate,
    /// a supported one is chosen.
    ///
    /// - Parameters:
    ///   - role: The role of a camera that is being recorded.
    ///   - selector: A selector as in a profile: `/dev/video2`, a name, `virtual:clap`.
    /// - Throws: `SetupError` if the role doesn't exist; if the selector is invalid; if the device is missing
    ///   or busy, or access is denied; or if the recording doesn't accept the camera. The recording is then unchanged.
    public func replaceCamera(of role: String, with selector: String) async throws(SetupError) {
        try await withProvider { (provider) throws(SetupError) in
            try provider.replaceCamera(of: role, with: .selector(selector), in: self)
        }
    }

    /// Assigns a camera of the application to a role of the running recording, like `replaceCamera` with a selector.
    ///
    /// - Parameters:
    ///   - role: The role of a camera that is being recorded.
    ///   - source: The camera, opened but not started. The session stops it at the end of the recording.
    /// - Throws: `SetupError` if the role doesn't exist, or if the recording doesn't accept the camera. The recording is
    ///   then unchanged.
    public func replaceCamera(of role: String, with source: any CameraSource) async throws(SetupError) {
        try await withProvider { (provider) throws(SetupError) in
            try provider.replaceCamera(of: role, with: .source(source), in: self)
        }
    }

    private func withProvider(
        _ body: @escaping @Sendable (any DeviceProvider) throws(SetupError) -> Void
    ) async throws(SetupError) {
        guard let provider else {
            throw .usage("this session was created for opened devices, so it can't open other devices.")
        }
        try await MediaThread.perform(named: "device") { () throws(SetupError) in try body(provider) }
    }

    /// Sets controls of a running camera. The settings are restored after the camera is unplugged and reconnected.
    ///
    /// - Parameters:
    ///   - settings: Names and values as the user writes them: a number, `on` or `off`, or an entry of the control's
    ///     menu.
    ///   - role: The camera's role.
    /// - Returns: The outcome of each setting.
    /// - Throws: `SessionChangeError` when the camera or control doesn't exist, when a value is out of range,
    ///   or when the camera is disconnected. If an error is thrown, no control is set.
    public func setControls(
        _ settings: KeyValuePairs<String, String>, of role: String
    ) async throws(SessionChangeError) -> [ControlOutcome] {
        let settings = settings.map { (name: $0.key, value: $0.value) }
        return try await MediaThread.perform(named: "controls") { () throws(SessionChangeError) in
            try self.set(settings, of: role)
        }
    }

    /// Reads the controls of a running camera.
    ///
    /// - Parameter role: The camera's role.
    /// - Returns: The controls with their current values.
    /// - Throws: `SessionChangeError` when the camera doesn't exist or is disconnected.
    public func deviceControls(of role: String) async throws(SessionChangeError) -> [DeviceControl] {
        try await MediaThread.perform(named: "controls") { () throws(SessionChangeError) in
            try self.controls(of: role).controls
        }
    }

    /// Takes the next complete frame from each selected camera, at approximately the same time, and writes the stills.
    /// During a recording, the stills are written to the session folder and listed in the manifest. The still of an H.264
    /// camera is its next key frame, or the next frame if the session makes clips.
    ///
    /// - Parameters:
    ///   - roles: Roles of the cameras; empty to select all cameras.
    ///   - folder: Path of the folder for stills that are taken on standby.
    /// - Returns: For the role of each camera, the written files or the error.
    /// - Throws: `StillError.unknownRole` if a role doesn't have a camera, `.notRunning` if the devices aren't running. If
    ///   an error is thrown, no stills are taken.
    public func takeStills(
        _ roles: [String] = [], in folder: String = "."
    ) async throws(StillError) -> [String: Result<StillFiles, StillError>] {
        let taken = try await MediaThread.perform(named: "stills") { () throws(StillError) in
            try self.writeStills(roles, in: folder)
        }
        return Dictionary(taken.map { ($0.role, $0.files) }) { first, _ in first }
    }

    /// Takes stills like `takeStills`, and returns them in the plan's order. Blocks until the frames have arrived and the files are written.
    package func writeStills(
        _ roles: [String], in folder: String
    ) throws(StillError) -> [(role: String, files: Result<StillFiles, StillError>)] {
        guard let stills else { throw .unknownRole(roles.first ?? "", known: []) }
        let sessionFolder = try currentStillFolder()
        let place = sessionFolder.map { StillFolder(ofSession: $0, version: options.version) }
        let taken = try stills.takeStills(
            roles, into: place ?? StillFolder(path: folder, version: options.version), with: codecs)
        if sessionFolder != nil {
            for case (let role, .success(let files)) in taken { registerStill(of: role, files) }
        }
        return taken
    }

    /// Returns the session folder of the current recording; `nil` on standby and while the session runs without files.
    private func currentStillFolder() throws(StillError) -> String? {
        let state = lifecycleState
        if state.isRecording {
            guard controls.acceptsRequests else { throw .notRunning }
            return folderPath
        }
        guard state.isStandby else { throw .notRunning }
        return nil
    }
}
