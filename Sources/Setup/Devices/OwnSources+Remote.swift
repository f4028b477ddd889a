internal import Media
internal import Profiles

extension OwnSources {
    /// How long other processes may take to announce a device that is wanted from the start.
    static let patience = Nanoseconds.seconds(15)
    /// How long they may take while something is recorded: commands that come later wait behind.
    static let livePatience = Nanoseconds.seconds(5)

    /// Adds the devices of other processes that a profile names. Waits for those that are not announced yet.
    ///
    /// - Parameters:
    ///   - remote: Finds them; where it is `nil`, none are added.
    ///   - profile: The profile whose roles name them.
    ///   - limit: How long a process may take to announce one.
    /// - Returns: These sources and those.
    /// - Throws: `SetupError` when one is not announced in time, or two roles want the same one.
    func adding(
        from remote: (any RemoteSources)?, for profile: Profile, within limit: Nanoseconds
    ) throws(SetupError) -> OwnSources {
        guard let remote else { return self }
        let wantedCameras = try Self.remoteRoles(
            profile.cameras.map { ($0.role, $0.device) }, but: cameras.keys.sorted())
        let wantedMicrophones = try Self.remoteRoles(
            profile.microphones.map { ($0.role, $0.device) }, but: microphones.keys.sorted())
        var (cameras, microphones) = (cameras, microphones)
        do throws(DeviceError) {
            for (role, selector) in wantedCameras {
                cameras[role] = try remote.camera(selector, within: limit)
            }
            for (role, selector) in wantedMicrophones {
                microphones[role] = try remote.microphone(selector, within: limit)
            }
        } catch {
            throw .device(error)
        }
        return OwnSources(cameras: cameras, microphones: microphones)
    }

    /// The roles with a device of another process, without those that the program plays itself.
    private static func remoteRoles(
        _ roles: [(role: String, selector: String)], but own: [String]
    ) throws(SetupError) -> [(role: String, selector: String)] {
        let wanted = roles.filter { isRemote($0.selector) && !own.contains($0.role) }
        for (index, one) in wanted.enumerated() {
            guard let other = wanted.dropFirst(index + 1).first(where: { $0.selector == one.selector }) else {
                continue
            }
            throw .usage(
                "\(one.role.printable()) and \(other.role.printable()) both want “\(one.selector.printable())”, which can have one role "
                    + "only: let its process send it under two names.")
        }
        return wanted
    }
}
