internal import Capture
internal import Glibc
public import Media
public import Plan

/// What is remembered of the choices of one application's user: to be shown, added to, and forgotten.
///
/// All of it waits for the disk, and asks cameras or the sound server what is there: not in a Swift task that must not wait.
public struct ChoiceHistory: Sendable {
    /// A choice, and the device where it is there.
    public struct Entry: Sendable, Equatable {
        public let identity: DeviceIdentity
        /// The role that it was chosen for, if for one.
        public let role: String?
        /// Whether a profile or program began with it; else a person chose it.
        public let isProposed: Bool
        /// `nil` when it is not there, or could be several.
        public let device: CaptureDevice?
    }

    public let mediaType: CaptureDevice.MediaType
    /// The most wanted first.
    public let entries: [Entry]
    /// The first that is there.
    public let userPreferred: CaptureDevice?
    /// The best camera to use now, or what `default` means; `nil` where there is none.
    public let systemPreferred: PreferredDevice?
    /// What else the user should know: sentences.
    public let warnings: [String]

    private let application: ApplicationIdentifier
    private let present: [CaptureDevice]

    /// What is remembered now.
    ///
    /// - Parameters:
    ///   - mediaType: Of cameras (`video`) or of microphones (`audio`).
    ///   - application: Whose user's choices are meant.
    /// - Throws: When microphones are meant and there is no sound server.
    public init(of mediaType: CaptureDevice.MediaType, application: ApplicationIdentifier) throws(DeviceError)
    {
        let (remarks, first) = DeviceMemory.file?.read() ?? (DeviceMemory(), nil)
        let present =
            switch mediaType {
            case .video: remarks.applied(to: try CameraCatalog().cameras())
            case .audio: try PulseCatalog.microphones().map(\.captureDevice)
            }
        let (memory, second) = ChoiceMemory.file?.read() ?? (ChoiceMemory(), nil)
        self.init(
            of: mediaType, application: application, present: present, memory: memory,
            warnings: [first, second].compactMap { $0 })
    }

    /// - Parameters:
    ///   - mediaType: As above.
    ///   - application: As above.
    ///   - present: All devices of that kind that are there.
    ///   - memory: What is remembered.
    ///   - warnings: What is to be said besides.
    init(
        of mediaType: CaptureDevice.MediaType, application: ApplicationIdentifier, present: [CaptureDevice],
        memory: ChoiceMemory, warnings: [String] = []
    ) {
        self.mediaType = mediaType
        self.application = application
        self.present = present
        let history: DeviceHistory
        switch mediaType {
        case .video:
            history = memory[application].cameras
            let preference = CameraPreference(history: history, streamed: memory.streamed, present: present)
            userPreferred = preference.userPreferred
            systemPreferred = preference.systemPreferred
            self.warnings = warnings + [preference.doubt].compactMap { $0 }
        case .audio:
            history = memory[application].microphones
            let route = MicrophoneRoute(history: history, present: present)
            userPreferred = route.userPreferred
            systemPreferred = route.current
            self.warnings = warnings
        }
        let searches = DeviceIdentity.search(for: history.choices.map(\.identity), among: present)
        entries = zip(history.choices, searches).enumerated().map { index, entry in
            var device: CaptureDevice?
            if case .found(let found, _) = entry.1 { device = found }
            return Entry(
                identity: entry.0.identity, role: entry.0.role, isProposed: index >= history.chosen.count,
                device: device)
        }
    }

    /// The one device that a selector names among those that are there.
    ///
    /// - Throws: `notFound`, or `ambiguous` with all that fit.
    public func device(_ selector: String) throws(DeviceError) -> CaptureDevice {
        try DeviceSelector.resolve(
            DeviceSelector.withoutLinks(selector), kind: mediaType == .video ? "camera" : "microphone",
            among: present)
    }

    /// Remembers a person's choice.
    ///
    /// - Returns: What is remembered from now on.
    /// - Throws: When it cannot be written.
    public func choosing(_ device: CaptureDevice) throws(StateFileError) -> Self {
        try changing { history in history.choose(device.identity, among: present) }
    }

    /// Forgets one device, or all.
    ///
    /// - Parameter name: A selector of one that is there, or the name of one that is not; `nil` for all.
    /// - Returns: What is remembered from now on, and how many choices were forgotten.
    /// - Throws: When a selector fits several devices, or it cannot be written.
    public func forgetting(_ name: String?) throws -> (history: Self, count: Int) {
        guard let name else {
            return (try changing { $0 = DeviceHistory() }, entries.count)
        }
        let identities = try identities(named: name)
        let history = try changing { history in
            for identity in identities { _ = history.forget(identity, among: present) }
        }
        return (history, entries.count - history.entries.count)
    }

    private func identities(named name: String) throws(DeviceError) -> [DeviceIdentity] {
        do throws(DeviceError) {
            return [try device(name).identity]
        } catch {
            guard error.reason == .notFound else { throw error }
            let wanted = name.lowercased()
            return entries.map(\.identity).filter { identity in
                identity.name.lowercased() == wanted || "serial:\(identity.serial)" == name
                    || "usb:\(identity.busPath)" == name
            }
        }
    }

    private func changing(_ change: (inout DeviceHistory) -> Void) throws(StateFileError) -> Self {
        guard let file = ChoiceMemory.file else {
            throw StateFileError(
                path: "XDG_STATE_HOME and HOME", subject: ChoiceMemory.subject, operation: "keep",
                errno: ENOENT)
        }
        var memory = ChoiceMemory()
        let warning = try file.update { stored in
            switch mediaType {
            case .video: change(&stored[application].cameras)
            case .audio: change(&stored[application].microphones)
            }
            memory = stored
        }
        return Self(
            of: mediaType, application: application, present: present, memory: memory,
            warnings: [warning].compactMap { $0 })
    }
}
