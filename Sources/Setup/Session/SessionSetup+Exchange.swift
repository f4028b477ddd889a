internal import Capture
internal import Media
internal import Plan
internal import Profiles
public import Session
public import Stills

extension SessionSetup {
    /// Opens a camera and gives it to a role of a recording session of this setup, in place of the one that the role has. The
    /// role's tracks, the program and taps go on. Blocks until it delivers, at first up to 5 s until another process has announced
    /// it; do not call it in a Swift task.
    ///
    /// The camera is opened as the profile describes the role; a size or a rate that it does not offer is chosen anew.
    ///
    /// - Parameters:
    ///   - role: The role of a camera that is recorded.
    ///   - selector: A selector as in a profile: `/dev/video2`, a name, `virtual:clap`, `remote:phone`.
    ///   - session: The session.
    ///   - stills: The session's stills, which show this camera from then on.
    /// - Throws: `SetupError` when there is no such role, the selector is invalid, the device is missing, busy or not permitted, or
    ///   the session refuses it.
    public func exchangeCamera(
        of role: String, for selector: String, in session: MulticamSession, stills: SessionStills
    ) throws(SetupError) {
        let (present, isCopied) = try refusing { () throws(SessionChangeError) in
            try session.formatToExchange(of: role)
        }
        var (profile, request) = try profile(ofNew: role)
        var camera = profile.cameras.first { $0.role == role } ?? CameraRole(role: role, device: selector)
        camera.device = selector
        camera.match = nil
        camera.format =
            (isCopied ? CameraRole.Format(rawValue: present.pixel.rawValue) : nil) ?? camera.format
        profile.cameras = [camera]
        profile.microphones = []
        profile.tracks.microphones = .none
        // Without a copied track any kind of frames will do.
        profile.tracks.cameras = isCopied ? .copy : .encode
        let resolver = try freeCamera(selector, profile, request, in: session)
        let plan = try Self.plan(ofOnly: profile, resolver)
        guard let planned = plan.cameras.first, let source = try Self.open(plan, resolver)[role] else {
            throw .usage("nothing is made of a camera “\(role)” in this profile.")
        }
        session.learn(of: source.device)
        try refusing { () throws(SessionChangeError) in try session.exchange(source, as: planned) }
        stills.cameras.first { $0.role == role }?.exchange(planned, source: source)
    }

    /// The plan of a profile's only camera, in another size and rate where it does not offer those of the profile.
    private static func plan(
        ofOnly profile: Profile, _ resolver: DeviceResolver
    ) throws(SetupError) -> SessionPlan {
        do {
            return try plan(profile, resolver)
        } catch {
            var other = profile
            (other.cameras[0].size, other.cameras[0].rate) = (nil, nil)
            return try plan(other, resolver)
        }
    }

    private func refusing<Result>(
        _ body: () throws(SessionChangeError) -> Result
    ) throws(SetupError) -> Result {
        do throws(SessionChangeError) {
            return try body()
        } catch {
            throw .refused(error)
        }
    }
}

extension MulticamSession {
    /// Learns where a real camera is connected that came after the session was planned.
    nonisolated func learn(of device: CaptureDevice) {
        if device.deviceType != .virtual, device.deviceType != .file {
            learn(USBTopology.connected().topology)
        }
    }
}
