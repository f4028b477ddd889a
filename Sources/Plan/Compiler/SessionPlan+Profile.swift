public import Media
public import Profiles

extension SessionPlan {
    /// Compiles a profile for the devices that were found. Pure: nothing is opened.
    ///
    /// - Parameters:
    ///   - profile: The profile, whose fields errors name.
    ///   - devices: The devices by role, for every camera and microphone of the profile.
    ///   - encoders: Hardware encoders that were tried on the computer on which the plan will run.
    /// - Throws: `ProfileError` when a device is not what its role asks for: another kind, no such size or pixel format, raw
    ///   frames to be copied, a crop outside the frame, a channel that it lacks; or when the profile asks for a hardware encoder
    ///   and none takes the stream.
    public init(
        profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder] = []
    ) throws(ProfileError) {
        var compiler = PlanCompiler(profile: profile, devices: devices, encoders: encoders)
        self = try compiler.plan()
    }

    /// Compiles a profile with other formats for some cameras, by role, than the profile asks for. A crop is taken at the same
    /// place of the smaller frame.
    init(
        profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder],
        lowered: [String: CameraFormatChoice]
    ) throws(ProfileError) {
        var compiler = PlanCompiler(
            profile: profile, devices: devices, encoders: encoders, lowered: lowered)
        self = try compiler.plan()
    }
}
