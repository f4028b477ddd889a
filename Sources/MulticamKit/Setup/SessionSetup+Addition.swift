internal import Media
public import Session

extension SessionSetup {
    /// Finds and opens another camera, and takes it into a session of this setup that records, in the way the profile has it for the
    /// others: with a track of its own where they have one. Blocks until it delivers; not in a Swift task.
    ///
    /// - Parameters:
    ///   - selector: As of a profile: `/dev/video2`, a name, `virtual:clap`.
    ///   - role: Whose name no device of the recording has.
    ///   - session: That takes it in.
    /// - Throws: What is wrong with the role or the selector, which device is missing, busy or not permitted, or why the session does
    ///   not take it.
    public func addCamera(
        _ selector: String, as role: String, to session: MulticamSession
    ) throws(SetupError) {
        guard Profile.isRole(role) else {
            throw .usage("“\(role.printable())” is no role: expected \(Profile.roleRule).")
        }
        guard let request else {
            throw .usage("this session was made of devices of its own, so no camera is looked for.")
        }
        var profile = try Self.profile(of: request)
        let hasTracks = profile.tracks.cameras != .none
        profile.cameras = [CameraRole(role: role, device: selector)]
        profile.microphones = []
        profile.program = nil
        profile.tracks.microphones = .none
        profile.tracks.metadata = .none
        // What is only shown may come in any kind of picture.
        if !hasTracks { profile.tracks.cameras = .encode }
        let (memory, _) = Self.memoryFile?.read() ?? (DeviceMemory(), nil)
        let resolver: DeviceResolver
        do {
            resolver = try DeviceResolver(for: profile, memory: memory, of: request.application)
        } catch {
            guard case .device(let busy) = error, case .busy = busy.reason, let owner = owner(of: busy.device)
            else {
                throw error
            }
            throw .usage(
                "“\(selector.printable())” is \(busy.device), the camera that \(owner) has already: name another one."
            )
        }
        let plan: SessionPlan
        do throws(ProfileError) {
            plan = try SessionPlan(profile: profile, devices: resolver.devices)
        } catch {
            throw .profile(error)
        }
        guard let planned = plan.cameras.first, let source = try Self.open(plan, resolver)[role] else {
            throw .usage("nothing is made of a camera “\(role)” in this profile.")
        }
        var track = hasTracks ? plan.cameraTracks.first : nil
        track?.file = "cameras/\(role).mov"
        do throws(SessionChangeError) {
            try session.add(source, as: planned, track: track)
        } catch {
            throw .usage(error.description)
        }
    }

    /// Which role has a real camera already.
    private func owner(of node: String) -> String? {
        cameras.first { $0.value.device.node == node && $0.value.device.deviceType != .virtual }?.key
    }
}
