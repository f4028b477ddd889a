internal import Media
internal import Plan
internal import Profiles
public import Session
public import Stills

extension SessionSetup {
    /// Opens another camera and adds it to a recording session of this setup, with a track of its own when the others have one.
    /// Blocks until it delivers, at first up to 5 s until another process has announced it; do not call it in a Swift task.
    ///
    /// - Parameters:
    ///   - selector: A selector as in a profile: `/dev/video2`, a name, `virtual:clap`, `remote:phone`.
    ///   - role: A name that no device of the recording has.
    ///   - session: The session to add it to.
    ///   - stills: The session's stills, which include this camera from then on.
    /// - Throws: `SetupError` when the role or selector is invalid, the device is missing, busy or not permitted, or the session
    ///   refuses.
    public func addCamera(
        _ selector: String, as role: String, to session: MulticamSession, stills: inout SessionStills
    ) throws(SetupError) {
        var (profile, request) = try profile(ofNew: role)
        let hasTracks = profile.tracks.cameras != .none || profile.cameras.isEmpty
        profile.cameras = [CameraRole(role: role, device: selector)]
        profile.microphones = []
        profile.tracks.microphones = .none
        // A camera without a track may deliver any pixel format.
        if profile.tracks.cameras == .none { profile.tracks.cameras = .encode }
        let resolver = try freeCamera(selector, profile, request, in: session)
        let plan = try Self.plan(profile, resolver)
        guard let planned = plan.cameras.first, let source = try Self.open(plan, resolver)[role] else {
            throw .usage("nothing is made of a camera “\(role)” in this profile.")
        }
        session.learn(of: source.device)
        var track = hasTracks ? plan.cameraTracks.first : nil
        track?.file = "cameras/\(role).mov"
        do throws(SessionChangeError) {
            let tap = stills.add(planned, source: source)
            try session.add(source, as: planned, track: track, frameTap: tap)
        } catch {
            stills.remove(role)
            throw .refused(error)
        }
    }

    /// Opens another microphone and adds it to a recording session of this setup, in its usual channels. The program's mix does
    /// not include it until asked to. Blocks until it delivers; do not call it in a Swift task.
    ///
    /// - Parameters:
    ///   - selector: A selector as in a profile: `default`, a name, `virtual:tone`, `remote:phone`.
    ///   - role: A name that no device of the recording has.
    ///   - session: The session to add it to.
    /// - Throws: `SetupError` when the role or selector is invalid, the device is missing or not permitted, or the session
    ///   refuses it.
    public func addMicrophone(
        _ selector: String, as role: String, to session: MulticamSession
    ) throws(SetupError) {
        var (profile, request) = try profile(ofNew: role)
        // A profile without microphones says nothing on tracks, and one that is neither recorded nor heard is of no use.
        let hasTracks = profile.tracks.microphones != .none || profile.microphones.isEmpty
        profile.microphones = [MicrophoneRole(role: role, device: selector)]
        profile.cameras = []
        profile.tracks.cameras = .none
        profile.tracks.metadata = .none
        // Compiled as if recorded, because the plan leaves out unused microphones.
        profile.tracks.microphones = .wav
        profile.tracks.files = .oneEach
        let resolver = try resolver(of: profile, request)
        let plan = try Self.plan(profile, resolver)
        guard let planned = plan.microphones.first else {
            throw .usage("nothing is made of a microphone “\(role)” in this profile.")
        }
        let source = try Self.open(planned, resolver)
        do throws(SessionChangeError) {
            try session.add(source, as: planned, track: hasTracks ? plan.microphoneTracks.first : nil)
        } catch {
            throw .refused(error)
        }
    }

    /// Finds the camera of a profile's only role, which another role must not have.
    func freeCamera(
        _ selector: String, _ profile: Profile, _ request: SetupRequest, in session: MulticamSession
    ) throws(SetupError) -> DeviceResolver {
        do {
            return try resolver(of: profile, request)
        } catch {
            guard case .device(let busy) = error, case .busy = busy.reason,
                let owner = session.owner(of: busy.device)
            else {
                throw error
            }
            throw .usage(
                "“\(SourceAddress.printable(of: selector))” is \(busy.device), the camera that \(owner) has already: name another one."
            )
        }
    }

    /// The session's profile without its program, to compile a new device with.
    func profile(ofNew role: String) throws(SetupError) -> (profile: Profile, request: SetupRequest) {
        guard Profile.isRole(role) else {
            throw .usage("“\(role.printable())” is no role: expected \(Profile.roleRule).")
        }
        guard let request, var profile else {
            throw .usage("this session was made of devices of its own, so no other device is looked for.")
        }
        profile.program = nil
        profile.publications = []
        return (profile, request)
    }

    /// Finds the devices of new roles; waits for those that other processes send.
    private func resolver(
        of profile: Profile, _ request: SetupRequest
    ) throws(SetupError) -> DeviceResolver {
        let (memory, _) = DeviceMemory.file?.read() ?? (DeviceMemory(), nil)
        let own = try OwnSources().adding(from: remote, for: profile, within: OwnSources.livePatience)
        return try DeviceResolver(
            for: own.play(in: profile), memory: memory, of: request.application, own: own)
    }

    static func plan(
        _ profile: Profile, _ resolver: DeviceResolver
    ) throws(SetupError) -> SessionPlan {
        do throws(ProfileError) {
            return try SessionPlan(profile: profile, devices: resolver.devices)
        } catch {
            throw .profile(error)
        }
    }
}

extension SessionSetup {
    /// Whether one of some selectors names a device that another process sends, a network camera or a screen.
    package static func namesRemote(_ selectors: [String]) -> Bool {
        selectors.contains { OwnSources.isRemote($0) }
    }
}
