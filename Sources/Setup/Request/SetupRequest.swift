public import Media
public import Plan
public import Profiles

/// What to run: a profile, and the devices that play its roles.
public struct SetupRequest: Sendable, Equatable {
    /// The profile's name or the path of its file.
    public var profile: String
    /// The profile itself: a program's own, or one that was read before (`SessionSetup.read`); `nil` reads the file.
    public var readProfile: Profile?
    /// Selections that replace the profile's cameras, by role.
    public var cameras: [RoleSelection]
    /// Selections that replace the profile's microphones, by role.
    public var microphones: [RoleSelection]
    /// The camera that the profile's policy has given to the leading role meanwhile, which is no user's choice; `nil` as at the
    /// start.
    public var followed: RoleSelection?
    /// Whether every role without a selection and without a `virtual:` or `file:` selector gets a synthetic device.
    public var usesVirtualDevices: Bool
    /// Whether the profile's microphones are left out, and with them the program's audio.
    public var leavesOutMicrophones = false
    /// Whether the metadata of all cameras is recorded, whatever the profile says.
    public var recordsMetadata: Bool
    /// Whether quality may be lowered while recording; `false` overrides the profile.
    public var isGoverned = true
    /// The application whose user's choices of devices count, and are remembered.
    public var application = ApplicationIdentifier.multicam
    /// The computer that the plan is costed against and reduced for; `ThisMachine` models the present one. `nil` skips both.
    public var machine: MachineModel?
    /// How long the disk must have room for; `nil` when it is not known. It counts only with a `machine`.
    public var duration: Nanoseconds?

    /// Creates a request for a profile.
    ///
    /// - Parameters:
    ///   - profile: The profile's name or the path of its file.
    ///   - cameras: Selections that replace the profile's cameras.
    ///   - microphones: Selections that replace the profile's microphones.
    ///   - usesVirtualDevices: Whether roles without a selection get synthetic devices.
    ///   - recordsMetadata: Whether the metadata of all cameras is recorded.
    ///   - machine: The computer to cost and reduce the plan for; `nil` skips both.
    ///   - duration: How long the disk must have room for; `nil` when it is not known.
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

    /// Creates a request for a profile that the program has as a value.
    ///
    /// - Parameters:
    ///   - profile: The profile; no file is read.
    ///   - cameras: Selections that replace the profile's cameras.
    ///   - microphones: Selections that replace the profile's microphones.
    ///   - usesVirtualDevices: Whether roles without a selection get synthetic devices.
    ///   - machine: The computer to cost and reduce the plan for; `nil` skips both.
    ///   - duration: How long the disk must have room for; `nil` when it is not known.
    public init(
        profile: Profile, cameras: [RoleSelection] = [], microphones: [RoleSelection] = [],
        usesVirtualDevices: Bool = false, machine: MachineModel? = nil, duration: Nanoseconds? = nil
    ) {
        self.init(
            profile: profile.name, cameras: cameras, microphones: microphones,
            usesVirtualDevices: usesVirtualDevices, machine: machine, duration: duration)
        readProfile = profile
    }

    /// Creates a request for certain devices, such as those of a `DiscoverySession`.
    ///
    ///     let camera = try DiscoverySession(mediaType: .video).devices[0]
    ///     let setup = try SessionSetup(SetupRequest(devices: ["desk": camera]))
    ///     try await setup.makeSession(frameTaps: [tap]).run()
    ///
    /// - Parameters:
    ///   - devices: The devices with the roles that they play, cameras in order of priority.
    ///   - tracks: What is recorded of each; nothing by default, for a session that runs without files.
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

/// The choice of a device for a role.
public struct RoleSelection: Sendable, Equatable {
    /// The role's name in the profile.
    public var role: String
    /// The selector that names the device: `any`, `/dev/video0`, `virtual:clap`.
    public var selector: String

    /// Creates a selection.
    public init(role: String, selector: String) {
        self.role = role
        self.selector = selector
    }
}
