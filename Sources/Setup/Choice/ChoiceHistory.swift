internal import Capture
internal import Glibc
public import Media
public import Plan

/// The remembered device choices of one application's user. A program can show them, add to them and delete them.
///
/// Every call waits for the disk and asks the cameras or the sound server what is connected: do not call it in a Swift task.
public struct ChoiceHistory: Sendable {
    /// One remembered choice, and its device when that is connected.
    public struct Entry: Sendable, Equatable {
        /// The identity of the device that was chosen.
        public let identity: DeviceIdentity
        /// The role that the device was chosen for; `nil` when it was chosen for none in particular.
        public let role: String?
        /// Whether a profile or a program proposed the device; `false` when a person chose it.
        public let isProposed: Bool
        /// The connected device; `nil` when it is not connected, or when several devices fit.
        public let device: CaptureDevice?
    }

    /// Whether these are choices of cameras (`video`) or of microphones (`audio`).
    public let mediaType: CaptureDevice.MediaType
    /// The choices, the most wanted device first.
    public let entries: [Entry]
    /// The first chosen device that is connected; `nil` when none is.
    public let userPreferred: CaptureDevice?
    /// The best camera to use now, or the microphone that `default` names; `nil` when there is none.
    public let systemPreferred: PreferredDevice?
    /// Warnings for the user, one sentence each.
    public let warnings: [String]

    private let application: ApplicationIdentifier
    private let present: [CaptureDevice]

    /// Reads the remembered choices.
    ///
    /// - Parameters:
    ///   - mediaType: Cameras (`video`) or microphones (`audio`).
    ///   - application: The application whose user's choices are read.
    /// - Throws: `DeviceError` when microphones are asked for and the sound server does not answer.
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

    /// Creates a history from what is remembered and connected.
    ///
    /// - Parameters:
    ///   - mediaType: Cameras (`video`) or microphones (`audio`).
    ///   - application: The application whose user's choices are read.
    ///   - present: All connected devices of that media type.
    ///   - memory: The remembered choices of all applications.
    ///   - warnings: Sentences to put before the history's own warnings.
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

    /// The one connected device that a selector names.
    ///
    /// - Throws: `DeviceError` with `notFound`, or with `ambiguous` and all devices that fit.
    public func device(_ selector: String) throws(DeviceError) -> CaptureDevice {
        try DeviceSelector.resolve(
            DeviceSelector.withoutLinks(selector), kind: mediaType == .video ? "camera" : "microphone",
            among: present)
    }

    /// Remembers that a person chose a device.
    ///
    /// - Returns: The history with the choice.
    /// - Throws: `StateFileError` when the choice cannot be written.
    public func choosing(_ device: CaptureDevice) throws(StateFileError) -> Self {
        try changing { history in history.choose(device.identity, among: present) }
    }

    /// Deletes the choice of one device, or all choices.
    ///
    /// - Parameter name: A selector of a connected device, or the name of one that is not connected; `nil` for all choices.
    /// - Returns: The remaining history, and the number of deleted choices.
    /// - Throws: `DeviceError` when the selector fits several devices, `StateFileError` when the history cannot be written.
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
