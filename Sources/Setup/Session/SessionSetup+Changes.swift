internal import MulticamCapture
package import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
package import MulticamSession
internal import MulticamStills

extension SessionSetup: DeviceProvider {
    /// Opens another camera and adds it to a recording session of this setup. If another process provides the camera,
    /// first waits up to 5 s for that process to announce the camera.
    package func addCamera(
        _ camera: NewDevice<any CameraSource>, as role: String, to session: MulticamSession
    ) throws(SetupError) {
        var (profile, request) = try profile(ofNew: role)
        let hasTracks = profile.tracks.cameras != .none || profile.cameras.isEmpty
        profile.cameras = [CameraRole(role: role, device: camera.selector ?? "")]
        profile.microphones = []
        profile.tracks.microphones = .none
        // Without a track, the camera may use any pixel format.
        if profile.tracks.cameras == .none { profile.tracks.cameras = .encode }
        let resolver = try resolveUnusedCamera(camera, as: role, profile, request, in: session)
        let plan = try Self.plan(profile, resolver)
        guard let planned = plan.cameras.first, let source = try Self.open(plan, resolver)[role] else {
            throw .usage("camera “\(role)” is not used by a track or the program of this profile.")
        }
        session.updateTopology(for: source.device)
        var track = hasTracks ? plan.cameraTracks.first : nil
        track?.file = "cameras/\(role).mov"
        do throws(SessionChangeError) {
            let still = session.stills?.makeCamera(planned, source: source)
            try session.add(source, as: planned, track: track, frameTap: still?.tap)
            if let still { session.stills?.add(still) }
        } catch {
            throw .refused(error)
        }
    }

    /// Opens another microphone in its default channel configuration and adds it to a recording session of this setup.
    package func addMicrophone(
        _ microphone: NewDevice<any MicrophoneSource>, as role: String, to session: MulticamSession
    ) throws(SetupError) {
        var (profile, request) = try profile(ofNew: role)
        // If the profile lists no microphones, the profile's setting for microphone tracks isn't meaningful.
        // A microphone that is neither recorded nor audible would be useless.
        let hasTracks = profile.tracks.microphones != .none || profile.microphones.isEmpty
        profile.microphones = [MicrophoneRole(role: role, device: microphone.selector ?? "")]
        profile.cameras = []
        profile.tracks.cameras = .none
        profile.tracks.metadata = .none
        // Compile the microphone as if it were recorded, because the plan omits unused microphones.
        profile.tracks.microphones = .wav
        profile.tracks.files = .oneEach
        let own = microphone.source.map { SuppliedSources(microphones: [role: $0]) }
        let resolver = try resolver(of: profile, request, own ?? SuppliedSources())
        let plan = try Self.plan(profile, resolver)
        guard let planned = plan.microphones.first else {
            throw .usage("microphone “\(role)” is not used by a track or the program of this profile.")
        }
        let source = try Self.open(planned, resolver)
        do throws(SessionChangeError) {
            try session.add(source, as: planned, track: hasTracks ? plan.microphoneTracks.first : nil)
        } catch {
            throw .refused(error)
        }
    }

    /// Finds the camera for the only role in the profile. The camera must not be in use by another role.
    func resolveUnusedCamera(
        _ camera: NewDevice<any CameraSource>, as role: String, _ profile: Profile,
        _ request: SessionConfiguration, in session: MulticamSession
    ) throws(SetupError) -> DeviceResolver {
        do {
            let own = camera.source.map { SuppliedSources(cameras: [role: $0]) }
            return try resolver(of: profile, request, own ?? SuppliedSources())
        } catch {
            guard case .device(let busy) = error, case .busy = busy.reason,
                let owner = session.owner(of: busy.device), let selector = camera.selector
            else {
                throw error
            }
            throw .usage(
                "“\(SourceAddress.printable(of: selector))” refers to \(busy.device), which is already used for \(owner). Choose another camera."
            )
        }
    }

    /// Returns the session's profile without its program, used to compile a new device.
    func profile(ofNew role: String) throws(SetupError) -> (profile: Profile, request: SessionConfiguration) {
        guard Profile.isValidRole(role) else {
            throw .usage("“\(role.printable())” is not a valid role: expected \(Profile.roleRule).")
        }
        guard let request, var profile else {
            throw .usage(
                "this session uses devices provided by the application, so other devices cannot be opened.")
        }
        profile.program = nil
        profile.liveOutputs = []
        return (profile, request)
    }

    /// Finds the devices of new roles. Waits for devices provided by other processes.
    private func resolver(
        of profile: Profile, _ request: SessionConfiguration, _ own: SuppliedSources
    ) throws(SetupError) -> DeviceResolver {
        let (memory, _) = DeviceStore.file?.read() ?? (DeviceStore(), nil)
        let own = try own.adding(
            from: request.remoteDevices, for: profile, within: SuppliedSources.recordingTimeout)
        return try DeviceResolver(
            for: own.applied(to: profile), memory: memory, of: request.application, own: own)
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
    /// Returns whether any of the selectors names a network camera, a screen, or a device provided by another
    /// process.
    package static func includesRemote(_ selectors: [String]) -> Bool {
        selectors.contains { SuppliedSources.isRemote($0) }
    }
}

extension SessionSetup {
    /// Opens a camera and assigns it to a role of a recording session of this setup, replacing the role's
    /// current camera. If another process provides the camera, first waits up to 5 s for that process to announce it.
    package func replaceCamera(
        of role: String, with new: NewDevice<any CameraSource>, in session: MulticamSession
    ) throws(SetupError) {
        let (present, isCopied) = try mapRefusal { () throws(SessionChangeError) in
            try session.formatToReplace(of: role)
        }
        var (profile, request) = try profile(ofNew: role)
        var camera = profile.cameras.first { $0.role == role } ?? CameraRole(role: role)
        camera.device = new.selector ?? ""
        camera.match = nil
        camera.format =
            (isCopied ? CameraRole.Format(rawValue: present.pixel.rawValue) : nil) ?? camera.format
        profile.cameras = [camera]
        profile.microphones = []
        profile.tracks.microphones = .none
        // Without stream copy, any pixel format is suitable.
        profile.tracks.cameras = isCopied ? .copy : .encode
        let resolver = try resolveUnusedCamera(new, as: role, profile, request, in: session)
        let plan = try Self.plan(ofOnly: profile, resolver)
        guard let planned = plan.cameras.first, let source = try Self.open(plan, resolver)[role] else {
            throw .usage("camera “\(role)” is not used by a track or the program of this profile.")
        }
        session.updateTopology(for: source.device)
        try mapRefusal { () throws(SessionChangeError) in try session.replaceCamera(with: source, as: planned)
        }
        session.stills?.cameras.first { $0.role == role }?.replace(with: planned, source: source)
    }

    /// Returns the plan of the profile's only camera. If the camera doesn't support the profile's size and
    /// rate, the plan uses a size and rate that the camera supports.
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

    private func mapRefusal<Result>(
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
    /// Updates the USB topology after a real camera that wasn't part of the original plan is connected.
    nonisolated func updateTopology(for device: CaptureDevice) {
        if device.deviceType != .virtual, device.deviceType != .file {
            setUSBTopology(USBTopology.connected().topology)
        }
    }
}
