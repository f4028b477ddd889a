public import Media
public import Plan
public import Profiles

/// A request for a session: a profile, and the devices for its roles.
public struct SetupRequest: Sendable, Equatable {
    /// The profile's name, or the path of its file.
    public var profile: String
    /// The profile itself, created by the app or read earlier with `SessionSetup.loadProfile`. `nil` reads the file.
    public var loadedProfile: Profile?
    /// Selections that replace the profile's cameras, by role.
    public var cameras: [RoleSelection]
    /// Selections that replace the profile's microphones, by role.
    public var microphones: [RoleSelection]
    /// The camera that the profile's policy has assigned to the leading role since the start. The user didn't choose
    /// this camera. The value is `nil` if the camera is unchanged.
    public var automaticCamera: RoleSelection?
    /// Whether every role gets a synthetic device unless it has a selection or a `virtual:` or `file:` selector.
    public var usesVirtualDevices: Bool
    /// Whether to omit the profile's microphones and therefore the program's audio.
    public var omitsMicrophones = false
    /// Whether to record the metadata of all cameras, regardless of the profile.
    public var recordsMetadata: Bool
    /// Whether quality may be reduced while recording. `false` overrides the profile.
    public var allowsQualityReduction = true
    /// The application that the user's stored device choices belong to.
    public var application = ApplicationIdentifier.multicam
    /// The computer for which the plan's cost is predicted and to which the plan is adapted. `ThisMachine`
    /// models the current computer. `nil` disables prediction and adaptation.
    public var machine: MachineModel?
    /// The recording duration that must fit on the disk, or `nil` if it's unknown. The duration is used only with a
    /// `machine`.
    public var duration: Nanoseconds?

    /// Creates a request for a profile.
    ///
    /// - Parameters:
    ///   - profile: The profile's name, or the path of its file.
    ///   - cameras: Selections that replace the profile's cameras.
    ///   - microphones: Selections that replace the profile's microphones.
    ///   - usesVirtualDevices: Whether roles without a selection get synthetic devices.
    ///   - recordsMetadata: Whether the metadata of all cameras is recorded.
    ///   - machine: The computer for which the plan's cost is predicted and to which the plan is adapted.
    ///     `nil` disables prediction and adaptation.
    ///   - duration: The recording duration that must fit on the disk. The value is `nil` if it's unknown.
    public init(
        profile: String, cameras: [RoleSelection] = [], microphones: [RoleSelection] = [],
        usesVirtualDevices: Bool = false, recordsMetadata: Bool = false,
        machine: MachineModel? = nil, duration: Nanoseconds? = nil
    ) {
        self.profile = profile
        self.cameras = cameras
        self.microphones = microphones
        self.usesVirtualDevices = usesVirtualDevices
        self.recordsMetadata = recordsMetadata
        self.machine = machine
        self.duration = duration
    }

    /// Creates a request for a profile that the app has created in memory.
    ///
    /// - Parameters:
    ///   - profile: The profile, which is used instead of a file.
    ///   - cameras: Selections that replace the profile's cameras.
    ///   - microphones: Selections that replace the profile's microphones.
    ///   - usesVirtualDevices: Whether roles without a selection get synthetic devices.
    ///   - machine: The computer for which the plan's cost is predicted and to which the plan is adapted.
    ///     `nil` disables prediction and adaptation.
    ///   - duration: The recording duration that must fit on the disk. The value is `nil` if it's unknown.
    public init(
        profile: Profile, cameras: [RoleSelection] = [], microphones: [RoleSelection] = [],
        usesVirtualDevices: Bool = false, machine: MachineModel? = nil, duration: Nanoseconds? = nil
    ) {
        self.init(
            profile: profile.name, cameras: cameras, microphones: microphones,
            usesVirtualDevices: usesVirtualDevices, machine: machine, duration: duration)
        loadedProfile = profile
    }

    /// Creates a request for specific devices, such as those of a `DiscoverySession`.
    ///
    /// ```swift
    /// let camera = try DiscoverySession(mediaType: .video).devices[0]
    /// let setup = try SessionSetup(SetupRequest(devices: ["desk": camera]))
    /// try await setup.makeSession(frameTaps: [tap]).run()
    /// ```
    ///
    /// - Parameters:
    ///   - devices: The devices and their roles, cameras in order of priority.
    ///   - tracks: The tracks to record for each device. By default, the session runs without writing files.
    public init(
        devices: KeyValuePairs<String, CaptureDevice>,
        tracks: TrackSettings = TrackSettings(cameras: .none, microphones: .none)
    ) {
        let cameras = devices.filter { $0.value.mediaType == .video }
        let microphones = devices.filter { $0.value.mediaType == .audio }
        self.init(
            profile: Profile(
                name: "devices",
                cameras: cameras.map { CameraRole(role: $0.key, device: $0.value.selector) },
                microphones: microphones.map { MicrophoneRole(role: $0.key, device: $0.value.selector) },
                tracks: tracks))
    }
}

/// The selection of a device for a role.
public struct RoleSelection: Sendable, Equatable {
    /// The role's name in the profile.
    public var role: String
    /// The selector that names the device: `any`, `/dev/video0`, `virtual:clap`.
    public var selector: String

    /// Creates a selection of a device for a role.
    public init(role: String, selector: String) {
        self.role = role
        self.selector = selector
    }
}

/// The reason why a session can't be set up. Except for `refused`, problems are detected before any device
/// streams.
public enum SetupError: Error, Sendable, Equatable {
    /// A selector or a role is invalid. The text contains the reason.
    case usage(String)
    /// The profile can't be read, or doesn't match its devices.
    case profile(ProfileError)
    /// A device is missing, busy, or failing, or access to it is denied.
    case device(DeviceError)
    /// The plan exceeds its budget and can't be reduced enough, or reduction isn't allowed.
    case overBudget(PlanReduction)
    /// The running session rejects the device.
    case refused(SessionChangeError)
}

extension SetupError {
    /// If a device is busy because one of this user's recorders is using it, returns the error with a description of
    /// what that recorder is doing.
    ///
    /// - Parameter activity: Queries the activity of a process by its process ID.
    /// - Returns: The error with the description, or the unchanged error if the process doesn't respond.
    func describingHolder(_ activity: (_ process: Int32) -> String?) -> SetupError {
        guard case .device(let error) = self, case .busy(var holder?) = error.reason else { return self }
        holder.activity = activity(holder.process)
        return .device(
            DeviceError(device: error.device, operation: error.operation, reason: .busy(by: holder)))
    }
}

extension SetupError: CustomStringConvertible {
    /// The error as a sentence for the user.
    public var description: String {
        switch self {
        case .usage(let sentence): sentence
        case .profile(let error): error.description
        case .device(let error): error.description
        case .overBudget(let reduction): reduction.refusal
        case .refused(let error): error.description
        }
    }
}
