internal import Capture
internal import Media
internal import Plan
internal import Profiles
internal import VirtualDevices

extension SessionSetup {
    /// One camera that is used by nobody, for stills: in the largest size that it offers, as its own JPEGs where it has them.
    ///
    /// - Parameters:
    ///   - selector: As a profile names cameras.
    ///   - role: The name of its stills.
    /// - Throws: When it is missing, busy, not permitted, or not to be told from another.
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
        // A still may be exposed for as long as the camera likes.
        for index in plan.cameras.indices {
            plan.cameras[index].controls.removeAll { $0.origin == .rateLock }
        }
        try self.init(plan, of: resolver)
    }

    /// The cameras of a profile, in its formats and with its controls, for stills. Microphones are left alone.
    ///
    /// - Parameters:
    ///   - request: Names the profile and its devices.
    ///   - takesAll: Whether all of its cameras, or the first alone.
    /// - Throws: What is wrong with the profile or a selector, or which camera is missing, busy or not permitted.
    public init(stillsOf request: SetupRequest, takesAll: Bool) throws(SetupError) {
        var (plan, _, resolver, _) = try Self.resolve(request, calibrations: Calibrations.file)
        plan.microphones = []
        if !takesAll { plan.cameras = Array(plan.cameras.prefix(1)) }
        guard !plan.cameras.isEmpty else {
            throw .usage("the profile `\(plan.profile.printable())` has no camera to take a still of.")
        }
        try self.init(plan, of: resolver)
    }

    /// The largest; of those JPEGs, then raw frames, then what has to be decoded.
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
