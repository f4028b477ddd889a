internal import Glibc
internal import MulticamCapture
package import MulticamMedia
package import MulticamPlan
internal import MulticamProfiles

/// The device choices that one application has stored for its user. An app can display, add, and delete choices.
///
/// Every call blocks on disk I/O and queries the connected cameras or the sound server: don't call this from a Swift
/// task.
package struct ChoiceHistory: Sendable {
    /// One stored choice, and the chosen device if it's connected.
    package struct Entry: Sendable, Equatable {
        /// Identity of the chosen device.
        package let identity: DeviceIdentity
        /// The role that the device was chosen for, or `nil` if it wasn't chosen for a specific role.
        package let role: String?
        /// Whether the device was proposed by a profile or an app, and not chosen by a user.
        package let isProposed: Bool
        /// The connected device, or `nil` if it isn't connected or if several devices match.
        package let device: CaptureDevice?
    }

    /// Whether the entries are cameras (`video`) or microphones (`audio`).
    package let mediaType: CaptureDevice.MediaType
    /// The stored choices, starting with the most preferred device.
    package let entries: [Entry]
    /// The first chosen device that is connected, or `nil` if no chosen device is connected.
    package let userPreferred: CaptureDevice?
    /// The best camera to use now, or the microphone that `default` refers to; `nil` if no device is available.
    package let systemPreferred: PreferredDevice?
    /// Warnings for the user, one sentence each.
    package let warnings: [String]

    private let application: ApplicationIdentifier
    private let present: [CaptureDevice]

    /// Reads the stored choices.
    ///
    /// - Parameters:
    ///   - mediaType: Cameras (`video`) or microphones (`audio`).
    ///   - application: The application that the user's stored choices belong to.
    /// - Throws: `DeviceError` if microphones are requested and the sound server doesn't respond.
    package init(of mediaType: CaptureDevice.MediaType, application: ApplicationIdentifier)
        throws(DeviceError)
    {
        let (remarks, first) = DeviceStore.file?.read() ?? (DeviceStore(), nil)
        let present =
            switch mediaType {
            case .video: remarks.applied(to: try CameraCatalog().cameras())
            case .audio: try PulseCatalog.microphones().map(\.captureDevice)
            }
        let (memory, second) = ChoiceStore.file?.read() ?? (ChoiceStore(), nil)
        self.init(
            of: mediaType, application: application, present: present, memory: memory,
            warnings: [first, second].compactMap { $0 })
    }

    /// Creates a history from stored choices and connected devices.
    ///
    /// - Parameters:
    ///   - mediaType: Cameras (`video`) or microphones (`audio`).
    ///   - application: The application that the user's stored choices belong to.
    ///   - present: All connected devices of this media type.
    ///   - memory: The stored choices of all applications.
    ///   - warnings: Warnings to insert before the history's own warnings.
    init(
        of mediaType: CaptureDevice.MediaType, application: ApplicationIdentifier, present: [CaptureDevice],
        memory: ChoiceStore, warnings: [String] = []
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
            self.warnings = warnings + [preference.ambiguityWarning].compactMap { $0 }
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

    /// Returns the one connected device that matches a selector.
    ///
    /// - Throws: `DeviceError.notFound`, or `DeviceError.ambiguous` with all matching devices.
    package func device(_ selector: String) throws(DeviceError) -> CaptureDevice {
        try DeviceSelector.resolve(
            DeviceSelector.withoutLinks(selector), kind: mediaType == .video ? "camera" : "microphone",
            among: present)
    }

    /// Stores a user's choice of a device.
    ///
    /// - Returns: The history, including the new choice.
    /// - Throws: `StateFileError` if the choice can't be written.
    package func storeChoice(of device: CaptureDevice) throws(StateFileError) -> Self {
        try updateStore { history in history.choose(device.identity, among: present) }
    }

    /// Deletes the choice of one device, or all choices.
    ///
    /// - Parameter name: A selector of a connected device, or the name of a disconnected device. `nil`
    ///   deletes all choices.
    /// - Returns: The history without the deleted choices, and the number of deleted choices.
    /// - Throws: `DeviceError` if the selector matches several devices. `StateFileError` if the history can't be
    ///   written.
    package func deleteChoices(named name: String?) throws -> (history: Self, count: Int) {
        guard let name else {
            return (try updateStore { $0 = DeviceHistory() }, entries.count)
        }
        let identities = try identities(named: name)
        let history = try updateStore { history in
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

    private func updateStore(_ change: (inout DeviceHistory) -> Void) throws(StateFileError) -> Self {
        guard let file = ChoiceStore.file else {
            throw StateFileError(
                path: "XDG_STATE_HOME and HOME", subject: ChoiceStore.subject, operation: "save",
                errno: ENOENT)
        }
        var memory = ChoiceStore()
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

/// Name of an application. Each application has a separate history of choices.
public struct ApplicationIdentifier: Sendable, Hashable {
    /// The name: 1 to 100 letters, digits, `.`, `-`, and `_`.
    public let name: String

    /// The `multicam` program itself.
    public static let multicam = Self(known: "multicam")

    /// Creates an identifier from a name.
    ///
    /// - Parameter name: The name: 1 to 100 letters, digits, `.`, `-`, and `_`, for example
    ///   `org.example.call`. The initializer returns `nil` for any other name.
    public init?(_ name: String) {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8)
        guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(allowed.contains) else { return nil }
        self.name = name
    }

    private init(known name: String) {
        self.name = name
    }
}

/// The choices to store when the cameras of a session have started streaming.
package struct ChoiceRecord: Equatable {
    let application: ApplicationIdentifier
    let profile: String
    /// The camera that the profile proposes, if the profile is used for the first time; otherwise `nil`.
    let proposal: DeviceIdentity?
    let policy: CameraPolicy
    /// The role that gets the preferred camera, or `nil` if every role names a specific camera.
    let leader: String?
    /// Camera roles in the profile's order.
    let roles: [String]
    /// The roles with a camera selected by the user. The set is empty if the profile's policy doesn't offer a
    /// choice.
    let chosen: Set<String>

    init(_ request: SessionConfiguration, _ profile: Profile, proposal: DeviceIdentity?) {
        application = request.application
        self.profile = profile.name
        self.proposal = proposal
        policy = profile.choice.policy
        leader = request.automaticCamera?.role ?? profile.leadingRole
        roles = profile.cameras.map(\.role)
        let named = request.cameras.filter {
            $0.selector != RoleAssignment.Role.any && $0.selector != RoleAssignment.Role.remembered
        }
        chosen = policy.allowsChoice ? Set(named.map(\.role)) : []
    }

    /// Adds the user's choices and the streaming cameras to the stored choices.
    ///
    /// - Parameters:
    ///   - cameras: The real cameras that are streaming, by role.
    ///   - memory: The stored choices to update.
    func record(_ cameras: [String: CaptureDevice], in memory: inout ChoiceStore) {
        let playing = roles.compactMap { role in cameras[role].map { (role: role, camera: $0) } }
        let present = playing.map(\.camera)
        memory.recordStreaming(present.map(\.identity))
        // The last choice added ranks first, so the first role's choice is added last.
        for (role, camera) in playing.reversed() where chosen.contains(role) {
            memory[application].cameras.choose(camera.identity, for: role, among: present)
        }
        if let proposal { memory[application].cameras.propose(proposal, by: profile, among: present) }
        for camera in present {
            memory[application].cameras.updateIdentity(of: camera.identity, among: present)
        }
    }
}

/// The users' choices by application, and the cameras that have streamed.
///
/// This value is stored in a `StateFile`.
struct ChoiceStore: StateFileContent {
    /// The choices made in one application.
    struct Histories: Equatable, Codable {
        var cameras = DeviceHistory()
        var microphones = DeviceHistory()
    }

    static let fileName = "choices.json"
    static let subject = "the device choices"
    static let currentSchema = 1

    var schema = ChoiceStore.currentSchema
    var applications: [String: Histories] = [:]
    /// The cameras that have streamed in any application, the most recent first.
    var streamed: [DeviceIdentity] = []

    /// Maximum number of cameras in `streamed`. This limit is about the number of cameras that a computer
    /// uses in a year.
    private static let streamedCapacity = 32

    subscript(application: ApplicationIdentifier) -> Histories {
        get { applications[application.name] ?? Histories() }
        set { applications[application.name] = newValue == Histories() ? nil : newValue }
    }

    /// Moves streaming cameras to the front of the list, in order of importance.
    mutating func recordStreaming(_ cameras: [DeviceIdentity]) {
        streamed = Array((cameras + streamed.filter { !cameras.contains($0) }).prefix(Self.streamedCapacity))
    }
}
