extension Profile {
    /// The same profile with other devices.
    ///
    /// - Parameters:
    ///   - cameras: Role and selector, as `--camera ROLE=DEVICE` names them. Of one role the last counts.
    ///   - microphones: The same of microphones.
    ///   - virtually: Gives every role a synthetic device whose selector is not `virtual:` or `file:` already
    ///     and that is not named in the other two.
    /// - Returns: A copy in which nothing else differs.
    /// - Throws: When the profile has no such role; the error's file is the option.
    public func replacingDevices(
        cameras: [(role: String, device: String)] = [], microphones: [(role: String, device: String)] = [],
        virtually: Bool = false
    ) throws(ProfileError) -> Profile {
        var profile = self
        if virtually {
            for index in profile.cameras.indices where Self.isReal(profile.cameras[index].device) {
                profile.cameras[index].device = "virtual:clap"
            }
            for index in profile.microphones.indices where Self.isReal(profile.microphones[index].device) {
                profile.microphones[index].device = "virtual:clap"
            }
        }
        for (role, device) in cameras {
            guard let index = profile.cameras.firstIndex(where: { $0.role == role }) else {
                throw unknownRole(
                    "--camera \(role)=\(device)", role, of: self.cameras.map(\.role), kind: "camera")
            }
            profile.cameras[index].device = device
        }
        for (role, device) in microphones {
            guard let index = profile.microphones.firstIndex(where: { $0.role == role }) else {
                throw unknownRole(
                    "--mic \(role)=\(device)", role, of: self.microphones.map(\.role), kind: "microphone")
            }
            profile.microphones[index].device = device
        }
        return profile
    }

    /// The same profile without its microphones, and with a program without audio.
    ///
    /// - Throws: When nothing is left to record; the error's file is the option.
    public func withoutMicrophones() throws(ProfileError) -> Profile {
        var profile = self
        profile.microphones = []
        profile.program?.audio.mix = []
        guard profile.writesAnything else {
            throw ProfileError(
                file: "--no-mics", found: "the profile “\(name)”, which records nothing but microphones",
                expected: "a profile that records cameras, or no `--no-mics`")
        }
        return profile
    }

    private static func isReal(_ selector: String) -> Bool {
        !selector.hasPrefix("virtual:") && !selector.hasPrefix("file:")
    }

    private func unknownRole(_ option: String, _ role: String, of roles: [String], kind: String)
        -> ProfileError
    {
        ProfileError(
            file: option, found: "the role “\(role)”",
            expected: roles.isEmpty
                ? "none, as “\(name)” has no \(kind)"
                : "the role of a \(kind) of “\(name)”: \(ProfileValue.list(roles, nearestTo: role))")
    }
}
