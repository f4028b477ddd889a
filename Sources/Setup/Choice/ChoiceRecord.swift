internal import Media
internal import Plan
internal import Profiles

/// The choices to remember once the cameras of a session stream.
package struct ChoiceRecord: Equatable {
    let application: ApplicationIdentifier
    let profile: String
    /// The camera that the profile proposes, the first time it is used; `nil` otherwise.
    let proposal: DeviceIdentity?
    let policy: CameraPolicy
    /// The role that gets the preferred camera; `nil` when every role names its own.
    let leader: String?
    /// Camera roles in the profile's order.
    let roles: [String]
    /// The roles for which a person named a camera; empty when the profile's policy offers no choice.
    let chosen: Set<String>

    init(_ request: SetupRequest, _ profile: Profile, proposal: DeviceIdentity?) {
        application = request.application
        self.profile = profile.name
        self.proposal = proposal
        policy = profile.choice.policy
        leader = request.followed?.role ?? profile.leadingRole
        roles = profile.cameras.map(\.role)
        let named = request.cameras.filter {
            $0.selector != RoleAssignment.Role.any && $0.selector != RoleAssignment.Role.remembered
        }
        chosen = policy.offersChoice ? Set(named.map(\.role)) : []
    }

    /// Adds the choices and the streaming cameras to the memory.
    ///
    /// - Parameters:
    ///   - cameras: The real cameras that stream, by role.
    ///   - memory: The memory to update.
    func enter(_ cameras: [String: CaptureDevice], into memory: inout ChoiceMemory) {
        let playing = roles.compactMap { role in cameras[role].map { (role: role, camera: $0) } }
        let present = playing.map(\.camera)
        memory.stream(present.map(\.identity))
        // The last choice entered ranks first, so the first role's comes last.
        for (role, camera) in playing.reversed() where chosen.contains(role) {
            memory[application].cameras.choose(camera.identity, for: role, among: present)
        }
        if let proposal { memory[application].cameras.propose(proposal, by: profile, among: present) }
        for camera in present { memory[application].cameras.renew(camera.identity, among: present) }
    }
}
