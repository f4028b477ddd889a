internal import Capture
internal import Media
internal import Plan
internal import Profiles
internal import VirtualDevices

extension SessionSetup {
    /// Opens one camera that nothing else uses, for stills: in its largest size, as the camera's own JPEGs when it offers them.
    ///
    /// - Parameters:
    ///   - selector: The camera's selector as in a profile.
    ///   - role: The name of its stills.
    /// - Throws: `SetupError` when the camera is missing, busy, not permitted or ambiguous.
    public init(stillsOf selector: String, role: String = "camera") throws(SetupError) {
        var profile = Profile(
            name: "snapshot", cameras: [CameraRole(role: role, device: selector)],
            tracks: TrackSettings(cameras: .encode, microphones: .none))
        let wantsMemory = !VirtualSources.handles(selector)
        let memory = (wantsMemory ? DeviceMemory.file?.read().content : nil) ?? DeviceMemory()
        let choices = (wantsMemory ? ChoiceMemory.file?.read().content : nil) ?? ChoiceMemory()
        let resolver = try DeviceResolver(for: profile, memory: memory, choices: choices)
        if case .listed(let offers) = resolver.devices[role]?.offers, let best = Self.best(offers) {
            profile.cameras[0].size = best.size
            profile.cameras[0].format = CameraRole.Format(rawValue: best.pixel.rawValue) ?? .auto
        }
        var plan: SessionPlan
        do throws(ProfileError) {
            plan = try SessionPlan(profile: profile, devices: resolver.devices)
        } catch {
            throw .profile(error)
        }
        // Without a rate lock a still may be exposed for as long as the camera likes.
        for index in plan.cameras.indices {
            plan.cameras[index].controls.removeAll { $0.origin == .rateLock }
        }
        try self.init(plan, of: resolver)
    }

    /// Opens the cameras of a profile for stills, in the profile's formats and with its controls. Microphones are not opened.
    ///
    /// - Parameters:
    ///   - request: The profile and its devices.
    ///   - takesAll: Whether to open all cameras of the profile, or only the first.
    /// - Throws: `SetupError` when the profile or a selector is invalid, or a camera is missing, busy or not permitted.
    public init(stillsOf request: SetupRequest, takesAll: Bool) throws(SetupError) {
        var (plan, _, resolver, _) = try Self.resolve(request, calibrations: Calibrations.file)
        plan.microphones = []
        if !takesAll { plan.cameras = Array(plan.cameras.prefix(1)) }
        guard !plan.cameras.isEmpty else {
            throw .usage("the profile `\(plan.profile.printable())` has no camera to take a still of.")
        }
        try self.init(plan, of: resolver)
    }

    /// The best format for stills: the largest size; within it JPEG first, then raw frames, then H.264.
    private static func best(_ offers: [OfferedFormat]) -> OfferedFormat? {
        func rank(_ format: OfferedFormat) -> Int {
            switch format.pixel {
            case .mjpeg: 2
            case .h264: 0
            default: 1
            }
        }
        return offers.max { ($0.size.pixelCount, rank($0)) < ($1.size.pixelCount, rank($1)) }
    }
}
