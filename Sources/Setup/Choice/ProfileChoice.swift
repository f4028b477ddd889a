internal import MulticamCapture
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles

/// Applies the stored choices to a profile: assigns a camera to each role with the selector `any`. Has no side effects.
///
/// The first role with `any` is the leading role and gets the preferred camera. Each other role keeps its
/// previous camera, or gets the best remaining camera.
struct ProfileChoice {
    private let policy: CameraPolicy
    /// The role that gets the preferred camera, or `nil` if every role names a specific camera.
    let leader: String?
    private let preference: CameraPreference
    /// The camera that the profile proposes, if the profile is used for the first time; otherwise `nil`.
    let proposal: DeviceIdentity?
    /// Notes for the user, one sentence each.
    let notes: [String]

    /// Applies the choices of one application to a profile.
    ///
    /// - Parameters:
    ///   - profile: The profile with the roles to assign.
    ///   - memory: The stored choices of all applications.
    ///   - application: The application that the user's stored choices belong to.
    ///   - present: All connected cameras.
    /// - Throws: `DeviceError` if the profile's `prefer` matches several cameras.
    init(
        _ profile: Profile, _ memory: ChoiceStore, of application: ApplicationIdentifier,
        present: [CaptureDevice]
    ) throws(DeviceError) {
        policy = profile.choice.policy
        let leader = profile.leadingRole
        self.leader = leader
        var history = memory[application].cameras
        var notes: [String] = []
        var proposal: DeviceIdentity?
        if let selector = profile.choice.prefer, leader != nil, !history.hasProposal(by: profile.name) {
            if let camera = try Self.proposed(selector, among: present) {
                history.propose(camera.identity, by: profile.name, among: present)
                proposal = camera.identity
            } else {
                notes.append(Self.missing(selector, profile.name))
            }
        }
        let narrowed = leader.map { history.narrowed(to: $0, of: profile.cameras.map(\.role)) } ?? history
        preference = CameraPreference(history: narrowed, streamed: memory.streamed, present: present)
        self.proposal = proposal
        self.notes = notes + (leader == nil ? [] : [preference.ambiguityWarning].compactMap { $0 })
    }

    /// Returns the selector of a role under the profile's policy.
    ///
    /// - Parameters:
    ///   - selector: The selector from the profile or from the user.
    ///   - isRemembered: Whether the role's last camera is stored.
    /// - Returns: `remembered` if `selector` is `any`, the policy is `fixed`, and the last camera is stored; otherwise
    ///   `selector`.
    func selector(_ selector: String, isRemembered: Bool) -> String {
        policy == .fixed && selector == RoleAssignment.Role.any && isRemembered
            ? RoleAssignment.Role.remembered : selector
    }

    /// Returns the camera that the user or the profile prefers for the leading role, excluding cameras that other roles
    /// name.
    func preferredCamera(among free: [CaptureDevice]) -> PreferredDevice? {
        let taken = Set(preference.cameras.map(\.identity)).subtracting(free.map(\.identity))
        guard let preferred = preference.systemPreferred(without: taken), preferred.reason.isRequested else {
            return nil
        }
        return preferred
    }

    /// Returns the best camera for a role without a preference: the highest-ranked usable camera that
    /// supports the size. If no usable camera supports the size, returns the highest-ranked camera.
    func best(_ free: [CaptureDevice], offering size: FrameSize?) -> CaptureDevice? {
        let ranked = preference.ranked(free).map(\.device)
        let ready = ranked.filter { $0.problem == nil }
        let offering = ready.first { camera in
            guard let size else { return true }
            return camera.formats.contains { $0.size == size }
        }
        return offering ?? ranked.first
    }

    private static func proposed(
        _ selector: String, among present: [CaptureDevice]
    ) throws(DeviceError) -> CaptureDevice? {
        do throws(DeviceError) {
            return try DeviceSelector.resolve(
                DeviceSelector.withoutLinks(selector), kind: "initial camera", among: present)
        } catch {
            guard error.reason == .notFound else { throw error }
            return nil
        }
    }

    private static func missing(_ selector: String, _ profile: String) -> String {
        let advice =
            selector.hasPrefix("position:")
            ? onCommandLine(
                " If the camera is connected, set its position with `multicam devices --set CAMERA --position \(String(selector.dropFirst(9)).printable())`."
            ) : ""
        return
            "the initial camera of “\(profile.printable())” (\(selector.printable())) is not connected.\(advice)"
    }
}

extension Profile {
    /// The first role with the selector `any`. The value is `nil` if every role names a specific camera.
    var leadingRole: String? { cameras.first { $0.device == RoleAssignment.Role.any }?.role }
}

/// Decides which of several roles with `default` gets the default microphone. If two people have separate
/// microphones, they must not both be recorded with the same microphone. Has no side effects.
///
/// The first role gets the default microphone. Each further role gets a different microphone if one is available. If no
/// other microphone is available, the role shares the default microphone, and a note reports this. Roles that select
/// different channels share the default microphone intentionally.
struct DefaultMicrophones {
    static let selector = "default"

    /// All microphone roles, with the selectors that are used to find their devices.
    private(set) var roles: [RoleAssignment.Role] = []
    /// The roles with `default` that get a different microphone.
    private(set) var others: [String] = []
    /// Notes for the user, one sentence each.
    private(set) var notes: [String] = []

    /// Assigns the microphones to the roles.
    ///
    /// - Parameters:
    ///   - wanted: The roles that require real microphones, in the profile's order.
    ///   - count: Number of connected microphones.
    ///   - hasDefault: Whether one of the connected microphones is the default.
    init(_ wanted: [MicrophoneRole], count: Int, hasDefault: Bool) {
        // This assumes that each selector for a specific device uses one microphone.
        let named = Set(wanted.map(\.device)).subtracting([Self.selector, RoleAssignment.Role.any]).count
        let anyCount = wanted.filter { $0.device == RoleAssignment.Role.any }.count
        var left = count - named - anyCount - 1
        var first: String?
        for role in wanted {
            var selector = role.device
            if selector == Self.selector, role.sourceChannels == nil, hasDefault {
                if let first {
                    if left > 0 {
                        selector = RoleAssignment.Role.any
                        others.append(role.role)
                        left -= 1
                    } else {
                        notes.append(
                            "\(role.role) uses the same microphone as \(first), because no other microphone is available. Connect another one, and choose it\(onCommandLine(" with `--mic \(role.role)=…`. To list the microphones, run `multicam devices`"))."
                        )
                    }
                } else {
                    first = role.role
                }
            }
            roles.append(RoleAssignment.Role(name: role.role, selector: selector))
        }
    }
}
