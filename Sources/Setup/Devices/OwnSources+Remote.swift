internal import FoundationEssentials
internal import Media
internal import Profiles

extension OwnSources {
    /// A role that a device of another process is to play.
    private struct Wish {
        let role: String
        let selector: String
        /// A sentence for the user on where the selector's secret is kept; `nil` for none.
        var note: String?
    }

    /// How long other processes may take to announce a device that is wanted from the start.
    static let patience = Nanoseconds.seconds(15)
    /// How long they may take while something is recorded: commands that come later wait behind.
    static let livePatience = Nanoseconds.seconds(5)
    /// How long somebody may take to open the page on a phone that is wanted from the start, or to choose a screen.
    static let personPatience = Nanoseconds.seconds(120)

    /// Adds the devices of other processes that a profile names, and network cameras. Waits for those that are not announced yet.
    ///
    /// - Parameters:
    ///   - remote: Finds them; where it is `nil`, none are added.
    ///   - profile: The profile whose roles name them.
    ///   - limit: How long a process may take to announce one.
    ///   - environment: The process' environment, which may hold addresses.
    /// - Returns: These sources and those.
    /// - Throws: `SetupError` when one is not announced in time, an address cannot be read, or two roles want the same one.
    func adding(
        from remote: (any RemoteSources)?, for profile: Profile, within limit: Nanoseconds,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SetupError) -> OwnSources {
        guard let remote else { return self }
        let wantedCameras = try Self.wishes(
            profile.cameras.map {
                ($0.role, ScreenAddress.asking($0.device, size: $0.size, rate: $0.rate), $0.address)
            }, "cameras", of: profile, but: cameras.keys.sorted(), environment)
        // The audio of a network camera, or of a phone, comes with its frames.
        let audible = Dictionary(
            wantedCameras.filter { SourceAddress.isBroughtHere($0.selector) }.map {
                ("camera:\($0.role)", $0.selector)
            }
        ) { $1 }
        let wantedMicrophones = try Self.wishes(
            profile.microphones.map { ($0.role, audible[$0.device] ?? $0.device, $0.address) }, "microphones",
            of: profile, but: microphones.keys.sorted(), environment)
        var (cameras, microphones) = (cameras, microphones)
        do throws(DeviceError) {
            for wish in wantedMicrophones { remote.expect(microphone: wish.selector) }
            for wish in wantedCameras { remote.expect(camera: wish.selector) }
            for wish in wantedCameras {
                cameras[wish.role] = try remote.camera(
                    wish.selector, within: Self.patience(for: wish.selector, limit, environment))
            }
            for wish in wantedMicrophones {
                microphones[wish.role] = try remote.microphone(
                    wish.selector, within: Self.patience(for: wish.selector, limit, environment))
            }
        } catch {
            throw .device(error)
        }
        var sources = OwnSources(cameras: cameras, microphones: microphones)
        sources.notes = notes + (wantedCameras + wantedMicrophones).compactMap(\.note)
        return sources
    }

    private static func patience(
        for selector: String, _ limit: Nanoseconds, _ environment: [String: String]
    ) -> Nanoseconds {
        let needsPerson =
            PhoneSelector.handles(selector) || SourceAddress.isSharedScreen(selector, environment)
        return limit >= patience && needsPerson ? max(limit, personPatience) : limit
    }

    /// The roles with a device of another process, without those that the program plays itself.
    private static func wishes(
        _ roles: [(role: String, selector: String, address: SecretSource?)], _ section: String,
        of profile: Profile,
        but own: [String], _ environment: [String: String]
    ) throws(SetupError) -> [Wish] {
        var wishes: [Wish] = []
        for (role, selector, address) in roles where isRemote(selector) && !own.contains(role) {
            guard section == "cameras" || !SourceAddress.isScreen(selector) else {
                throw .usage(
                    "the microphone \(role.printable()) is to be a screen, which has no audio: what the computer plays is a source of "
                        + "the sound server, `pulse:` and the name that `pactl list short sources` has with .monitor at its end."
                )
            }
            var wish = Wish(role: role, selector: selector)
            if let address {
                wish = try read(
                    address, of: role, at: "\(section).\(role).url_from", of: profile, environment)
            } else if SourceAddress.hasSecret(selector) {
                wish.note =
                    "\(role): the password in its address is seen by everybody who sees the profile; `url_from` keeps it in a file or a "
                    + "variable."
            }
            if let other = wishes.first(where: { $0.selector == wish.selector }) {
                throw .usage(
                    "\(other.role.printable()) and \(role.printable()) both want “\(SourceAddress.printable(of: wish.selector))”, which "
                        + "can have one role only.")
            }
            wishes.append(wish)
        }
        return wishes
    }

    private static func read(
        _ source: SecretSource, of role: String, at field: String, of profile: Profile,
        _ environment: [String: String]
    ) throws(SetupError) -> Wish {
        let (text, warning): (String, String?)
        do throws(SecretSource.Lack) {
            (text, warning) = try source.read(environment)
        } catch {
            throw .profile(profile.source.error(at: field, found: error.found, expected: error.expected))
        }
        do throws(DestinationAddressError) {
            return Wish(
                role: role, selector: try SourceAddress(text).text, note: warning.map { "\(field): \($0)" })
        } catch {
            throw .profile(profile.source.error(at: field, found: error.found, expected: error.expected))
        }
    }
}
