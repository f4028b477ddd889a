public import Media
public import Plan
public import Profiles

/// What somebody wants to run: a profile, and which devices play its roles.
public struct SetupRequest: Sendable, Equatable {
    /// A name or a path.
    public var profile: String
    /// What stood in the profile's file when it was read before; `nil`: it is read.
    public var readProfile: Profile?
    /// In place of what the profile says, by role.
    public var cameras: [RoleSelection]
    public var microphones: [RoleSelection]
    /// The camera that the policy of the profile has given to the leading role by now: nobody's choice. `nil`: as at the start.
    public var followed: RoleSelection?
    /// Synthetic devices for every role that no selection and no `virtual:` or `file:` selector names.
    public var usesVirtualDevices: Bool
    /// Whether the profile's microphones are left out, and with them the program's audio.
    public var leavesOutMicrophones = false
    /// Metadata of all cameras is recorded, whatever the profile says of it.
    public var recordsMetadata: Bool
    /// Whether quality may be lowered while recording; where it may not, that counts whatever the profile says.
    public var isGoverned = true
    /// Whose user's choices of cameras and microphones count, and are remembered.
    public var application = ApplicationIdentifier.multicam
    /// What the plan's cost is measured against, and reduced for: `ThisMachine` knows the one at hand. `nil`: it costs
    /// nothing, and everything is as asked.
    public var machine: MachineModel?
    /// How long the disk must have room for, where there is a machine; `nil`: not known.
    public var duration: Nanoseconds?

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
}

/// A device for a role, by selector.
public struct RoleSelection: Sendable, Equatable {
    public var role: String
    public var selector: String

    public init(role: String, selector: String) {
        self.role = role
        self.selector = selector
    }
}
