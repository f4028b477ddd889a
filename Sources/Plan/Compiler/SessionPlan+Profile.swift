public import Media
public import Profiles

extension SessionPlan {
    /// Compiles a profile for the devices that were found. Pure: nothing is opened.
    ///
    /// - Parameters:
    ///   - profile: Its places are those that errors name.
    ///   - devices: By role, for every camera and microphone of the profile.
    ///   - encoders: Hardware encoders that were tried on the computer that it will run on.
    /// - Throws: When a device is not what its role asks for: another kind, no such size or pixel format, raw
    ///   frames to be copied, a crop outside the frame, a channel it lacks; when it asks for a hardware encoder that
    ///   there is not.
    public init(
        profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder] = []
    ) throws(ProfileError) {
        var compiler = PlanCompiler(profile: profile, devices: devices, encoders: encoders)
        self = try compiler.plan()
    }

    /// The same, with other formats of some cameras, by role, than the profile asks for. A crop is taken at the same place of
    /// the smaller frame.
    init(
        profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder],
        lowered: [String: CameraFormatChoice]
    ) throws(ProfileError) {
        var compiler = PlanCompiler(
            profile: profile, devices: devices, encoders: encoders, lowered: lowered)
        self = try compiler.plan()
    }
}
