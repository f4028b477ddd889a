internal import FoundationEssentials
package import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSession

/// The cameras and microphones that an app supplies, by role.
package struct SuppliedSources: Sendable {
    let cameras: [String: any CameraSource]
    let microphones: [String: any MicrophoneSource]
    /// Notes on the sources for the user, one sentence each.
    var notes: [String] = []
    /// Placeholder devices by role, which are planned before the real devices are connected.
    var placeholders: [String: PlannedDevice] = [:]

    /// Prefix of the selector that a plan shows for a role with an app's source, followed by the source's name.
    private static let scheme = "own:"
    /// Selector prefix of a device provided by another process.
    private static let remoteScheme = "remote:"

    /// Creates a set of sources that are opened but not started.
    package init(
        cameras: [String: any CameraSource] = [:], microphones: [String: any MicrophoneSource] = [:]
    ) {
        self.cameras = cameras
        self.microphones = microphones
    }

    /// Returns whether a selector refers to a source supplied by the app.
    static func handles(_ selector: String) -> Bool { selector.hasPrefix(scheme) || isRemote(selector) }

    /// Returns whether a selector names a device provided by another process. This includes network cameras
    /// and phones, because a multicam process sends their data.
    static func isRemote(_ selector: String) -> Bool {
        selector.hasPrefix(remoteScheme) || SourceAddress.isRelayed(selector)
            || selector == SecretSource.placeholderSelector
    }

    /// The roles for which these sources are used.
    var roles: Set<String> { Set(cameras.keys).union(microphones.keys).union(placeholders.keys) }

    /// Assigns the sources to their roles, so that no other device is searched for.
    ///
    /// - Parameters:
    ///   - profile: The profile.
    ///   - remoteMayFollow: Whether devices of other processes, such as network cameras, will be added later.
    /// - Returns: The profile with the sources.
    /// - Throws: `SetupError` if the profile doesn't contain a source's role, or if a role that requires a supplied
    ///   source has none.
    func applied(to profile: Profile, remoteMayFollow: Bool = false) throws(SetupError) -> Profile {
        var profile = profile
        for role in cameras.keys.sorted() {
            guard let index = profile.cameras.firstIndex(where: { $0.role == role }) else {
                throw Self.unknown(role, "camera", known: profile.cameras.map(\.role), in: profile)
            }
            profile.cameras[index].assignDevice(Self.selector(of: cameras[role]?.device))
        }
        for role in microphones.keys.sorted() {
            guard let index = profile.microphones.firstIndex(where: { $0.role == role }) else {
                throw Self.unknown(role, "microphone", known: profile.microphones.map(\.role), in: profile)
            }
            profile.microphones[index].assignDevice(Self.selector(of: microphones[role]?.device))
        }
        try checkAllSupplied(in: profile, except: remoteMayFollow ? Self.isRemote : { _ in false })
        return profile
    }

    /// Checks that all supplied sources named in a profile are present.
    ///
    /// - Parameters:
    ///   - profile: The profile.
    ///   - isExpected: Whether the device of a selector will be added later.
    /// - Throws: `SetupError` if a role's device can only come from the app or another process, and it's missing.
    func checkAllSupplied(
        in profile: Profile, except isExpected: (String) -> Bool = { _ in false }
    ) throws(SetupError) {
        let played =
            profile.cameras.map { ($0.role, $0.device) } + profile.microphones.map { ($0.role, $0.device) }
        for (role, selector) in played
        where Self.handles(selector) && !roles.contains(role) && !isExpected(selector) {
            let device =
                "\(role.printable()): the device “\(SourceAddress.printable(of: selector))” "
            throw .usage(
                Self.isRemote(selector)
                    ? device
                        + onCommandLine(
                            "can be used only while recording. Use `multicam record` or `multicam studio`.",
                            otherwise:
                                "is connected by another process. Create the session with `SessionServices.makeSession`."
                        )
                    : device
                        + "must be provided by the application, but the application does not provide a device for this role. Choose another device."
            )
        }
    }

    private static func unknown(
        _ role: String, _ kind: String, known: [String], in profile: Profile
    ) -> SetupError {
        .usage(
            "the application provides a \(kind) for the role “\(role.printable())”, which is not in the profile “\(profile.name.printable())”. "
                + (known.isEmpty
                    ? "The profile does not contain a \(kind)." : "Choose \(ProfileValue.list(known))."))
    }

    private static func selector(of device: CaptureDevice?) -> String {
        let own = device?.selector ?? ""
        return isRemote(own) ? own : scheme + (device?.name ?? "")
    }

    /// The sources as planned devices. Each planned device has only the format that its source delivers.
    var planned: [String: PlannedDevice] {
        var devices = placeholders
        for (role, source) in cameras {
            var device = source.device
            // Supplied sources don't have a device node.
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

extension SuppliedSources {
    /// Default size and frame rate of a camera that isn't connected yet.
    private static let defaultFormat = (
        size: FrameSize(width: 1280, height: 720), rate: FrameRate(30, per: 1)
    )
    /// Default size of a screen that isn't connected yet.
    private static let defaultScreenSize = FrameSize(width: 1920, height: 1080)

    /// Adds placeholders for devices that aren't connected yet: network cameras, screens, and devices from
    /// other processes. Placeholders use the format that their role requests, and a note reports this.
    ///
    /// - Parameter profile: The profile with the roles.
    /// - Returns: All sources including the placeholders, and the profile. In the returned profile, the audio
    ///   of a network stream has the selector of its camera.
    func addingPlaceholders(for profile: Profile) -> (own: SuppliedSources, profile: Profile) {
        var (own, profile) = (self, profile)
        let known = roles
        var streams: [String: String] = [:]
        for camera in profile.cameras where Self.isRemote(camera.device) && !known.contains(camera.role) {
            let format = Self.format(of: camera)
            let name = Self.name(of: camera.device)
            let offered = OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))
            let device = CaptureDevice(
                mediaType: .video, deviceType: SourceAddress.isScreen(camera.device) ? .screen : .network,
                identity: DeviceIdentity(name: name), name: name, node: "", selector: name, formats: [offered]
            )
            own.placeholders[camera.role] = PlannedDevice(
                selector: name, device: device, offers: .listed([offered]))
            own.notes.append(
                "\(camera.role): the format of \(name) is unknown until the recording connects to the device. The plan assumes \(format)."
            )
            streams["camera:\(camera.role)"] = camera.device
        }
        for index in profile.microphones.indices {
            let microphone = profile.microphones[index]
            let selector = streams[microphone.device] ?? microphone.device
            guard Self.isRemote(selector), !known.contains(microphone.role) else { continue }
            profile.microphones[index].device = selector
            let name = Self.name(of: selector)
            let device = CaptureDevice(
                mediaType: .audio, deviceType: .network, identity: DeviceIdentity(name: name), name: name,
                node: "", selector: name, audio: AudioFormat(rate: 48_000, channels: microphone.channels))
            own.placeholders[microphone.role] = PlannedDevice(
                selector: name, device: device, offers: .listed([]))
        }
        return (own, profile)
    }

    /// Returns a selector without secrets, for display.
    private static func name(of selector: String) -> String {
        selector == SecretSource.placeholderSelector
            ? "the address from url_from" : SourceAddress.printable(of: selector)
    }

    /// Returns the format that a role requests. The default is JPEG for web servers and screens, and H.264 for other
    /// network sources.
    private static func format(of camera: CameraRole) -> VideoFormat {
        let isScreen = SourceAddress.isScreen(camera.device)
        let isJPEG = isScreen || camera.device.lowercased().hasPrefix("http")
        let pixel: PixelFormat =
            switch camera.format {
            case .auto: isJPEG ? .mjpeg : .h264
            case .mjpeg: .mjpeg
            case .h264: .h264
            case .yuyv: .yuyv
            case .nv12: .nv12
            case .grey: .grey
            }
        return VideoFormat(
            pixel: pixel, size: camera.size ?? (isScreen ? defaultScreenSize : defaultFormat.size),
            rate: camera.rate ?? defaultFormat.rate)
    }
}

extension SuppliedSources {
    /// A role that requires a device from another process.
    private struct RemoteRequest {
        let role: String
        let selector: String
        /// A message for the user about the location of the selector's secret, or `nil` if no message is
        /// necessary.
        var note: String?
    }

    /// Maximum time to wait for another process to announce a device that is required at startup.
    static let startupTimeout = Nanoseconds.seconds(15)
    /// Maximum time to wait for another process during a recording. This limit is shorter than the limit at
    /// startup, because later commands have to wait.
    static let recordingTimeout = Nanoseconds.seconds(5)
    /// Maximum time to wait at startup until the user has opened the page on a phone or selected a screen.
    static let userActionTimeout = Nanoseconds.seconds(120)

    /// Adds network cameras and the devices of other processes that a profile names. Waits for devices that haven't
    /// been announced yet.
    ///
    /// - Parameters:
    ///   - remote: Finds the devices. `nil` adds no devices.
    ///   - profile: The profile with the roles.
    ///   - limit: Maximum wait for a process to announce a device.
    ///   - environment: The process's environment variables, which may contain addresses.
    /// - Returns: All sources, including the added sources.
    /// - Throws: `SetupError` if a device isn't announced in time, an address can't be read, or two roles request the
    ///   same device.
    func adding(
        from remote: (any RemoteDeviceFinder)?, for profile: Profile, within limit: Nanoseconds,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SetupError) -> SuppliedSources {
        guard let remote else { return self }
        let wantedCameras = try Self.remoteRequests(
            profile.cameras.map {
                ($0.role, ScreenAddress.selector($0.device, size: $0.size, rate: $0.rate), $0.address)
            }, "cameras", of: profile, but: cameras.keys.sorted(), environment)
        // A network camera or a phone sends audio together with its frames.
        let audible = Dictionary(
            wantedCameras.filter { SourceAddress.isRelayed($0.selector) }.map {
                ("camera:\($0.role)", $0.selector)
            }
        ) { $1 }
        let wantedMicrophones = try Self.remoteRequests(
            profile.microphones.map { ($0.role, audible[$0.device] ?? $0.device, $0.address) }, "microphones",
            of: profile, but: microphones.keys.sorted(), environment)
        var (cameras, microphones) = (cameras, microphones)
        do throws(DeviceError) {
            for request in wantedMicrophones { remote.expect(microphone: request.selector) }
            for request in wantedCameras { remote.expect(camera: request.selector) }
            for request in wantedCameras {
                cameras[request.role] = try remote.camera(
                    request.selector, within: Self.timeout(for: request.selector, limit, environment))
            }
            for request in wantedMicrophones {
                microphones[request.role] = try remote.microphone(
                    request.selector, within: Self.timeout(for: request.selector, limit, environment))
            }
        } catch {
            throw .device(error)
        }
        var sources = SuppliedSources(cameras: cameras, microphones: microphones)
        sources.notes = notes + (wantedCameras + wantedMicrophones).compactMap(\.note)
        return sources
    }

    private static func timeout(
        for selector: String, _ limit: Nanoseconds, _ environment: [String: String]
    ) -> Nanoseconds {
        let needsPerson =
            PhoneSelector.handles(selector) || SourceAddress.isSharedScreen(selector, environment)
        return limit >= startupTimeout && needsPerson ? max(limit, userActionTimeout) : limit
    }

    /// Returns the roles that require a device from another process, except roles that use sources supplied
    /// by the app.
    private static func remoteRequests(
        _ roles: [(role: String, selector: String, address: SecretSource?)], _ section: String,
        of profile: Profile,
        but own: [String], _ environment: [String: String]
    ) throws(SetupError) -> [RemoteRequest] {
        var requests: [RemoteRequest] = []
        for (role, selector, address) in roles where isRemote(selector) && !own.contains(role) {
            guard section == "cameras" || !SourceAddress.isScreen(selector) else {
                throw .usage(
                    "the microphone \(role.printable()) cannot be a screen, because a screen has no audio. To record the computer's audio, use `pulse:NAME` with a name from `pactl list short sources` that ends in .monitor."
                )
            }
            var request = RemoteRequest(role: role, selector: selector)
            if let address {
                request = try read(
                    address, of: role, at: "\(section).\(role).url_from", of: profile, environment)
            } else if SourceAddress.hasSecret(selector) {
                request.note =
                    "\(role): the profile contains the password of this device, so everyone who can read the profile can see the password. Use `url_from` to read the address from a file or an environment variable."
            }
            if let other = requests.first(where: { $0.selector == request.selector }) {
                throw .usage(
                    "\(other.role.printable()) and \(role.printable()) both use “\(SourceAddress.printable(of: request.selector))”. A device can have only one role."
                )
            }
            requests.append(request)
        }
        return requests
    }

    private static func read(
        _ source: SecretSource, of role: String, at field: String, of profile: Profile,
        _ environment: [String: String]
    ) throws(SetupError) -> RemoteRequest {
        let (text, warning): (String, String?)
        do throws(SecretSource.ReadError) {
            (text, warning) = try source.read(environment)
        } catch {
            throw .profile(profile.source.error(at: field, found: error.found, expected: error.expected))
        }
        do throws(AddressError) {
            return RemoteRequest(
                role: role, selector: try SourceAddress(text).text, note: warning.map { "\(field): \($0)" })
        } catch {
            throw .profile(profile.source.error(at: field, found: error.found, expected: error.expected))
        }
    }
}

/// Finds network cameras by their address, and cameras and microphones of other processes by the selector
/// `remote:NAME`. `RemoteDevices` implements this protocol.
package protocol RemoteDeviceFinder: Sendable {
    /// Announces that a camera will be requested soon, so that several cameras can connect in parallel.
    ///
    /// - Parameter selector: `remote:NAME`, or the address of a network camera.
    func expect(camera selector: String)

    /// Announces that a microphone will be requested soon.
    ///
    /// - Parameter selector: `remote:NAME`, or the address of a network camera with audio.
    func expect(microphone selector: String)

    /// Waits for a camera. Blocks; don't call this from a Swift task.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the address of a network camera.
    ///   - limit: Maximum wait for a process to announce the camera.
    /// - Returns: The camera, not started.
    /// - Throws: `DeviceError` if no process announces the camera in time, or another role already uses it.
    func camera(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any CameraSource

    /// Waits for a microphone. Blocks; don't call this from a Swift task.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the address of a network camera.
    ///   - limit: Maximum wait for a process to announce the microphone.
    /// - Returns: The microphone, not started.
    /// - Throws: `DeviceError` if no process announces the microphone in time, or another role already uses it.
    func microphone(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any MicrophoneSource
}

extension RemoteDeviceFinder {
    /// Does nothing, because the sending processes initiate the connections.
    package func expect(camera selector: String) {}
    /// Does nothing, because the sending processes initiate the connections.
    package func expect(microphone selector: String) {}
}
