internal import Media
internal import Plan
internal import Profiles
internal import Setup
internal import VirtualDevices

/// A profile with its devices, found once, from which every run of a test is set up.
struct StressBench {
    let profile: Profile
    /// The plan of the profile as it stands.
    let plan: SessionPlan
    /// The formats that each camera of the plan can be tried with, in the plan's order.
    let offers: [StressOffer]
    /// Notes on the choice of devices for the user.
    let notes: [String]
    private let resolver: DeviceResolver

    /// Finds the devices of a profile.
    ///
    /// - Throws: `SetupError` when the profile or a selector is invalid, the profile has no camera, or a device is missing, busy
    ///   or not permitted.
    init(_ request: SetupRequest) throws(SetupError) {
        var (profile, resolver, warning) = try SessionSetup.found(request)
        // Without the governor, which would lower the quality before anything fails.
        profile.budget.governs = false
        // Devices are tried, not networks.
        profile.publications = []
        do throws(ProfileError) {
            // A run is judged by its tracks.
            try profile.checkWritesAnything()
        } catch {
            throw .profile(error)
        }
        let plan = try Self.planned(profile, resolver.devices)
        guard !plan.cameras.isEmpty else {
            throw .usage(
                "the profile `\(profile.name.printable())` records no camera, so there is nothing to stress. Choose another profile."
            )
        }
        self.profile = profile
        self.plan = plan
        self.resolver = resolver
        notes = [warning].compactMap { $0 } + resolver.notes + plan.notes
        var offers: [StressOffer] = []
        for camera in plan.cameras {
            offers.append(
                StressOffer(
                    role: camera.role, asked: camera.format,
                    formats: try Self.formats(of: camera, resolver.devices[camera.role])))
        }
        self.offers = offers
    }

    /// The devices of the profile's plan, cameras first.
    var devices: [(role: String, device: CaptureDevice)] {
        (plan.cameras.map(\.role) + plan.microphones.map(\.role)).compactMap { role in
            resolver.devices[role].map { (role, $0.device) }
        }
    }

    /// Opens the devices of a run.
    func setup(_ trial: StressTrial) throws(SetupError) -> SessionSetup {
        try SessionSetup(trial.isProfile && trial.kind != .sets ? plan : plan(trial), of: resolver)
    }

    /// The plan of a run.
    ///
    /// A set records its cameras alone: compressed frames are copied, and raw ones are encoded at the lowest cost, because the
    /// disk could not take them. A climb has the profile's outputs.
    private func plan(_ trial: StressTrial) throws(SetupError) -> SessionPlan {
        var variant = profile
        var devices = resolver.devices
        variant.cameras = trial.cameras.compactMap { role, format in
            guard var camera = profile.cameras.first(where: { $0.role == role }) else { return nil }
            Self.adapt(&camera, to: format.size, isAlone: trial.kind == .sets)
            camera.size = format.size
            camera.rate = format.rate
            camera.format = .auto
            devices[role]?.offers = .listed([
                OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))
            ])
            return camera
        }
        guard trial.kind == .sets else { return try Self.planned(variant, devices) }
        variant.microphones = []
        variant.program = nil
        variant.tracks = TrackSettings(
            cameras: .encode, microphones: .none, video: VideoSettings(preset: .ultrafast, encoder: .software)
        )
        var plan = try Self.planned(variant, devices)
        for index in plan.cameraTracks.indices {
            guard let camera = plan.cameras.first(where: { $0.role == plan.cameraTracks[index].role }),
                camera.format.pixel.isCompressed
            else { continue }
            plan.cameraTracks[index].mode = .copy
            plan.cameraTracks[index].settings.size = camera.format.size
        }
        return plan
    }

    /// Adapts what the profile says of a frame's parts to another size; a set shows whole frames.
    private static func adapt(_ camera: inout CameraRole, to size: FrameSize, isAlone: Bool) {
        if isAlone {
            (camera.crop, camera.zoom, camera.output) = (nil, .none, nil)
        } else if camera.size != size {
            if case .rectangle(let area) = camera.crop,
                area.x + area.width > size.width || area.y + area.height > size.height
            {
                camera.crop = nil
            }
            (camera.zoom.pan, camera.zoom.tilt) = (0, 0)
            camera.output?.size = nil
        }
    }

    private static func planned(
        _ profile: Profile, _ devices: [String: PlannedDevice]
    ) throws(SetupError) -> SessionPlan {
        do throws(ProfileError) {
            return try SessionPlan(
                profile: profile, devices: devices, encoders: ThisMachine.triedEncoders)
        } catch {
            throw .profile(error)
        }
    }

    /// The formats that a camera offers. A synthetic one offers everything that its selector leaves open.
    private static func formats(
        of camera: PlannedCamera, _ found: PlannedDevice?
    ) throws(SetupError) -> [OfferedFormat] {
        let asked = OfferedFormat(
            pixel: camera.format.pixel, size: camera.format.size, rates: .listed([camera.format.rate]))
        guard let device = found?.device else { return [asked] }
        switch device.deviceType {
        case .virtual: return [asked] + (try synthetic(camera))
        case .file: return [asked]
        case .builtIn, .external, .network, .screen, .microphone: return device.formats
        }
    }

    private static func synthetic(_ camera: PlannedCamera) throws(SetupError) -> [OfferedFormat] {
        let settings: VirtualCameraSettings
        do throws(VirtualDeviceError) {
            settings = try VirtualCameraSettings(selector: camera.selector)
        } catch {
            throw SetupError(error)
        }
        let sizes = settings.size.map { [$0] } ?? StressOffer.syntheticSizes
        let rates = settings.rate.map { [$0] } ?? StressOffer.syntheticRates
        let pixels = settings.pixel.map { [$0] } ?? [.mjpeg, .yuyv]
        return pixels.flatMap { pixel in
            sizes.map { OfferedFormat(pixel: pixel, size: $0, rates: .listed(rates)) }
        }
    }
}
