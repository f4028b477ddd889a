internal import Capture
internal import Media
internal import Plan
internal import Profiles

/// Applies the remembered choices to a profile: decides which camera each role with `any` gets. Pure.
///
/// The first role with `any` leads: it gets the preferred camera. The others keep the camera they had, or get the best one left.
struct ProfileChoice {
    private let policy: CameraPolicy
    /// The role that gets the preferred camera; `nil` when every role names its camera.
    let leader: String?
    private let preference: CameraPreference
    /// The camera that the profile proposes, the first time it is used; `nil` otherwise.
    let proposal: DeviceIdentity?
    /// Notes for the user, one sentence each.
    let notes: [String]

    /// Applies the choices of one application to a profile.
    ///
    /// - Parameters:
    ///   - profile: The profile whose roles get cameras.
    ///   - memory: The remembered choices of all applications.
    ///   - application: The application whose choices count.
    ///   - present: All connected cameras.
    /// - Throws: `DeviceError` when the profile's `prefer` fits several cameras.
    init(
        _ profile: Profile, _ memory: ChoiceMemory, of application: ApplicationIdentifier,
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
        self.notes = notes + (leader == nil ? [] : [preference.doubt].compactMap { $0 })
    }

    /// The selector of a role under the profile's policy.
    ///
    /// - Parameters:
    ///   - selector: The profile's selector, or the user's.
    ///   - isRemembered: Whether the role's last camera is remembered.
    /// - Returns: `remembered` for `any` when the policy is `fixed` and the last camera is remembered; else `selector`.
    func selector(_ selector: String, isRemembered: Bool) -> String {
        policy == .fixed && selector == RoleAssignment.Role.any && isRemembered
            ? RoleAssignment.Role.remembered : selector
    }

    /// The camera that the user or the profile wants for the leading role, among those that no other role names.
    func wish(among free: [CaptureDevice]) -> PreferredDevice? {
        let taken = Set(preference.cameras.map(\.identity)).subtracting(free.map(\.identity))
        guard let preferred = preference.systemPreferred(without: taken), preferred.reason.isWish else {
            return nil
        }
        return preferred
    }

    /// The best camera for a role without a wish: the highest ranked usable one that offers the size, else the highest ranked
    /// one.
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
                DeviceSelector.withoutLinks(selector), kind: "camera to begin with", among: present)
        } catch {
            guard error.reason == .notFound else { throw error }
            return nil
        }
    }

    private static func missing(_ selector: String, _ profile: String) -> String {
        let advice =
            selector.hasPrefix("position:")
            ? " If there is one, tell it with `multicam devices --set CAMERA --position \(String(selector.dropFirst(9)).printable())`."
            : ""
        return
            "the camera that “\(profile.printable())” begins with (\(selector.printable())) is not connected.\(advice)"
    }
}

extension Profile {
    /// The first role with `any`; `nil` when every role names its camera.
    var leadingRole: String? { cameras.first { $0.device == RoleAssignment.Role.any }?.role }
}
