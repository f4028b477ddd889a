internal import MulticamInputs
public import MulticamMedia
package import MulticamPlan
public import MulticamProfiles
public import MulticamSession
internal import MulticamWriters

/// What a session records: a profile, the devices for its roles, and the recording's options.
public struct SessionConfiguration: Sendable {
    /// The profile's name, or the path of its file.
    public var profile: String
    /// The profile itself, created by the application or read earlier. `nil` reads the file.
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
    /// The pattern of the synthetic devices if `usesVirtualDevices` is `true`.
    package var virtualPattern = VirtualPattern.clap
    /// Whether to omit the profile's microphones and therefore the program's audio.
    public var omitsMicrophones = false
    /// Whether to record the metadata of all cameras, regardless of the profile.
    public var recordsMetadata: Bool
    /// Whether quality may be reduced while recording. `false` overrides the profile.
    public var allowsQualityReduction = true
    /// The application that the user's stored device choices belong to.
    public var application = ApplicationIdentifier.multicam
    /// The computer for which the plan's cost is predicted and to which the plan is adapted. `nil` disables prediction
    /// and adaptation.
    package var machine: MachineModel?
    /// The folder, duration, and limits of the session's recordings. The duration must fit on the disk.
    public var recording = RecordingOptions()
    /// The application's own cameras by role, opened but not started. They are planned in the format that they deliver,
    /// and the profile's device for the role is ignored.
    public var ownCameras: [String: any CameraSource] = [:]
    /// The application's own microphones by role, opened but not started.
    public var ownMicrophones: [String: any MicrophoneSource] = [:]
    /// Source of the computer's orientation for cameras with `rotation: sensor`. `nil` uses the accelerometer.
    public var orientationTracker: (any OrientationTracker)?
    /// Outputs that deliver the data of several devices together, tick by tick.
    public var synchronizedOutputs: [SynchronizedOutput] = []
    /// Length of the clip around each still, from 0.1 s to 10 s; `nil` for stills without clips. Clips permanently use
    /// memory for the latest frames.
    public var clipLength: Duration?
    /// Finds devices with the selector `remote:NAME` that other processes provide.
    package var remoteDevices: (any RemoteDeviceFinder)?

    /// Creates the configuration for a profile.
    ///
    /// - Parameters:
    ///   - profile: The profile's name, or the path of its file.
    ///   - cameras: Selections that replace the profile's cameras.
    ///   - microphones: Selections that replace the profile's microphones.
    ///   - ownCameras: The application's own cameras, by role.
    ///   - ownMicrophones: The application's own microphones, by role.
    ///   - usesVirtualDevices: Whether roles without a selection get synthetic devices.
    ///   - recordsMetadata: Whether the metadata of all cameras is recorded.
    public init(
        profile: String, cameras: [RoleSelection] = [], microphones: [RoleSelection] = [],
        ownCameras: [String: any CameraSource] = [:], ownMicrophones: [String: any MicrophoneSource] = [:],
        usesVirtualDevices: Bool = false, recordsMetadata: Bool = false
    ) {
        self.profile = profile
        self.cameras = cameras
        self.microphones = microphones
        self.ownCameras = ownCameras
        self.ownMicrophones = ownMicrophones
        self.usesVirtualDevices = usesVirtualDevices
        self.recordsMetadata = recordsMetadata
    }

    /// Creates the configuration for a profile that the application has created in memory.
    ///
    /// - Parameters:
    ///   - profile: The profile, which is used instead of a file.
    ///   - cameras: Selections that replace the profile's cameras.
    ///   - microphones: Selections that replace the profile's microphones.
    ///   - ownCameras: The application's own cameras, by role.
    ///   - ownMicrophones: The application's own microphones, by role.
    ///   - usesVirtualDevices: Whether roles without a selection get synthetic devices.
    ///   - recordsMetadata: Whether the metadata of all cameras is recorded.
    public init(
        profile: Profile, cameras: [RoleSelection] = [], microphones: [RoleSelection] = [],
        ownCameras: [String: any CameraSource] = [:], ownMicrophones: [String: any MicrophoneSource] = [:],
        usesVirtualDevices: Bool = false, recordsMetadata: Bool = false
    ) {
        self.init(
            profile: profile.name, cameras: cameras, microphones: microphones,
            ownCameras: ownCameras, ownMicrophones: ownMicrophones, usesVirtualDevices: usesVirtualDevices,
            recordsMetadata: recordsMetadata)
        loadedProfile = profile
    }

    /// Creates the configuration for specific devices, for example from a `DiscoverySession`.
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

extension SessionConfiguration {
    /// Checks the settings that don't depend on devices.
    ///
    /// - Throws: `SetupError.usage` if a setting is invalid or doesn't suit the profile.
    func check(for profile: Profile) throws(SetupError) {
        func refuse(_ error: RecordingError) -> SetupError { .usage(error.description) }
        let known = profile.cameras.map(\.role) + profile.microphones.map(\.role)
        for output in synchronizedOutputs
        where output.roles.isEmpty || Set(output.roles).count < output.roles.count {
            throw .usage("a synchronized output must name at least one role, and each role only once.")
        }
        for role in synchronizedOutputs.flatMap(\.roles) where !known.contains(role) {
            throw refuse(.unknownRole(role, known: known))
        }
        if let duration = recording.duration, duration <= .zero { throw refuse(.invalidDuration(duration)) }
        if recording.backup?.content == .program, profile.program == nil { throw refuse(.nothingToBackUp) }
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
