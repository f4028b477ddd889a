package import Media
internal import Plan
internal import Profiles

/// The cameras and microphones that a program brings itself, by the roles that they play.
package struct OwnSources: Sendable {
    let cameras: [String: any CameraSource]
    let microphones: [String: any MicrophoneSource]
    /// Notes on the sources for the user, one sentence each.
    var notes: [String] = []
    /// Devices by role that a plan has before anybody connects to them.
    var assumed: [String: PlannedDevice] = [:]

    /// The beginning of the selector that a plan shows for a role with an own source; the source's name follows.
    private static let scheme = "own:"
    /// The beginning of the selector of a device that another process sends.
    private static let remoteScheme = "remote:"

    /// Names the sources, opened, not started.
    package init(
        cameras: [String: any CameraSource] = [:], microphones: [String: any MicrophoneSource] = [:]
    ) {
        self.cameras = cameras
        self.microphones = microphones
    }

    /// Whether a selector stands for a program's own source.
    static func handles(_ selector: String) -> Bool { selector.hasPrefix(scheme) || isRemote(selector) }

    /// Whether a selector names a device that another process sends, or a network camera or a phone, which a process of multicam sends.
    static func isRemote(_ selector: String) -> Bool {
        selector.hasPrefix(remoteScheme) || SourceAddress.isBroughtHere(selector)
            || selector == SecretSource.selector
    }

    /// The roles that the sources play.
    var roles: Set<String> { Set(cameras.keys).union(microphones.keys).union(assumed.keys) }

    /// The profile with the sources in their roles, so that no device is looked for there.
    ///
    /// - Throws: `SetupError` when the profile has no such role, or has a role that only an own source can play without one.
    func play(in profile: Profile) throws(SetupError) -> Profile {
        var profile = profile
        for role in cameras.keys.sorted() {
            guard let index = profile.cameras.firstIndex(where: { $0.role == role }) else {
                throw Self.unknown(role, "camera", known: profile.cameras.map(\.role), in: profile)
            }
            profile.cameras[index].play(Self.selector(of: cameras[role]?.device))
        }
        for role in microphones.keys.sorted() {
            guard let index = profile.microphones.firstIndex(where: { $0.role == role }) else {
                throw Self.unknown(role, "microphone", known: profile.microphones.map(\.role), in: profile)
            }
            profile.microphones[index].play(Self.selector(of: microphones[role]?.device))
        }
        try checkBrings(profile)
        return profile
    }

    /// Checks that the sources are there that a profile names.
    ///
    /// - Throws: `SetupError` when a role has a device that only an own source, or a process, can bring.
    func checkBrings(_ profile: Profile) throws(SetupError) {
        let played =
            profile.cameras.map { ($0.role, $0.device) } + profile.microphones.map { ($0.role, $0.device) }
        for (role, selector) in played where Self.handles(selector) && !roles.contains(role) {
            let device =
                "the device of \(role.printable()) is to be “\(SourceAddress.printable(of: selector))”, "
            throw .usage(
                Self.isRemote(selector)
                    ? device
                        + "which is connected to, and its format known, when it is recorded: `multicam record` and `multicam studio` bring it."
                    : device
                        + "a source of the program, which brings none for this role: name another device."
            )
        }
    }

    private static func unknown(
        _ role: String, _ kind: String, known: [String], in profile: Profile
    ) -> SetupError {
        .usage(
            "the program brings a \(kind) for the role “\(role.printable())”, which “\(profile.name.printable())” has not: "
                + (known.isEmpty ? "it has no \(kind)." : "it has \(ProfileValue.list(known))."))
    }

    private static func selector(of device: CaptureDevice?) -> String {
        let own = device?.selector ?? ""
        return isRemote(own) ? own : scheme + (device?.name ?? "")
    }

    /// What a plan can be made of: each source in the one format that it delivers.
    var planned: [String: PlannedDevice] {
        var devices = assumed
        for (role, source) in cameras {
            var device = source.device
            // No node of the system is opened for it.
            device.node = ""
            let format = source.format
            devices[role] = PlannedDevice(
                selector: Self.selector(of: device), device: device,
                offers: .listed([
                    OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))
                ]))
        }
        for (role, source) in microphones {
            var device = source.device
            device.node = ""
            device.audio = source.format
            devices[role] = PlannedDevice(
                selector: Self.selector(of: device), device: device, offers: .listed([]))
        }
        return devices
    }
}
