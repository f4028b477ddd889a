internal import Media
internal import Plan
internal import Profiles

/// What is to be remembered of a person's choices once the cameras of a session stream.
package struct ChoiceRecord: Equatable {
    let application: ApplicationIdentifier
    let profile: String
    /// The camera that the profile begins with, where this is the first time.
    let proposal: DeviceIdentity?
    let policy: CameraPolicy
    /// The role that gets the preferred camera; `nil` where every role names its own.
    let leader: String?
    /// Camera roles in the profile's order.
    let roles: [String]
    /// Those for which a person named a camera, as far as that is a choice: it is not where the profile offers none.
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

    /// Enters into the memory what was chosen and what streams.
    ///
    /// - Parameters:
    ///   - cameras: Real ones by role, as they are now.
    ///   - memory: Is brought up to date.
    func enter(_ cameras: [String: CaptureDevice], into memory: inout ChoiceMemory) {
        let playing = roles.compactMap { role in cameras[role].map { (role: role, camera: $0) } }
        let present = playing.map(\.camera)
        memory.stream(present.map(\.identity))
        // The first role's is the most important, so it is entered last.
        for (role, camera) in playing.reversed() where chosen.contains(role) {
            memory[application].cameras.choose(camera.identity, for: role, among: present)
        }
        if let proposal { memory[application].cameras.propose(proposal, by: profile, among: present) }
        for camera in present { memory[application].cameras.renew(camera.identity, among: present) }
    }
}
