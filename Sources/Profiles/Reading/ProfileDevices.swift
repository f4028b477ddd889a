extension Profile {
    /// A copy of the profile with other devices.
    ///
    /// - Parameters:
    ///   - cameras: Roles and selectors of cameras, as `--camera ROLE=DEVICE` names them. The last one of a role counts.
    ///   - microphones: Roles and selectors of microphones, as `--mic ROLE=DEVICE` names them. The last one of a role counts.
    ///   - virtually: Whether every role gets a synthetic device, unless its selector begins with `virtual:` or `file:` already
    ///     or the role is named in the other two.
    /// - Returns: The copy, in which nothing else differs.
    /// - Throws: `ProfileError` when the profile has no such role; the error's file is the option.
    public func replacingDevices(
        cameras: [(role: String, device: String)] = [], microphones: [(role: String, device: String)] = [],
        virtually: Bool = false
    ) throws(ProfileError) -> Profile {
        var profile = self
        if virtually {
            for index in profile.cameras.indices where Self.isReal(profile.cameras[index].device) {
                profile.cameras[index].play("virtual:clap")
            }
            for index in profile.microphones.indices where Self.isReal(profile.microphones[index].device) {
                profile.microphones[index].play("virtual:clap")
            }
        }
        for (role, device) in cameras {
            guard let index = profile.cameras.firstIndex(where: { $0.role == role }) else {
                throw unknownRole(
                    "--camera \(role)=\(device)", role, of: self.cameras.map(\.role), kind: "camera")
            }
            profile.cameras[index].play(device)
        }
        for (role, device) in microphones {
            guard let index = profile.microphones.firstIndex(where: { $0.role == role }) else {
                throw unknownRole(
                    "--mic \(role)=\(device)", role, of: self.microphones.map(\.role), kind: "microphone")
            }
            profile.microphones[index].play(device)
        }
        return profile
    }

    /// A copy of the profile without its microphones, and with a program without audio.
    ///
    /// - Throws: `ProfileError` when nothing is left to record; the error's file is the option.
    public func withoutMicrophones() throws(ProfileError) -> Profile {
        var profile = self
        profile.microphones = []
        profile.program?.audio.mix = []
        for index in profile.scenes.indices {
            profile.scenes[index].mix = nil
            profile.scenes[index].gains = [:]
        }
        // A profile that writes nothing runs its cameras all the same.
        guard writesAnything ? profile.writesAnything : !profile.cameras.isEmpty else {
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
