extension SessionPlan {
    /// Compiles a profile for the devices that were found. Pure: nothing is opened.
    ///
    /// - Parameters:
    ///   - profile: Its places are those that errors name.
    ///   - devices: By role, for every camera and microphone of the profile.
    /// - Throws: When a device is not what its role asks for: another kind, no such size or pixel format, raw
    ///   pictures to be copied, a crop outside the picture, a channel it lacks.
    public init(profile: Profile, devices: [String: PlannedDevice]) throws(ProfileError) {
        var compiler = PlanCompiler(profile: profile, devices: devices)
        self = try compiler.plan()
    }

    /// The same, with other formats of some cameras, by role, than the profile asks for. A crop is taken at the same place of
    /// the smaller picture.
    init(
        profile: Profile, devices: [String: PlannedDevice], lowered: [String: CameraFormatChoice]
    ) throws(ProfileError) {
        var compiler = PlanCompiler(profile: profile, devices: devices, lowered: lowered)
        self = try compiler.plan()
    }
}
