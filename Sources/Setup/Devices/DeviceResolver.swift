internal import MulticamCapture
internal import MulticamMedia
package import MulticamPlan
internal import MulticamProfiles
internal import MulticamSession
package import MulticamVirtualDevices

/// Finds the device for each role of a profile. Devices are opened only to query them.
package struct DeviceResolver {
    /// The cameras and microphones by role.
    package private(set) var devices: [String: PlannedDevice] = [:]
    /// The sound server's descriptions of the real microphones, by role.
    private(set) var pulseSources: [String: PulseSource] = [:]
    /// All connected real cameras. The list is empty if no role requires a real camera.
    private(set) var presentCameras: [CaptureDevice] = []
    private(set) var presentMicrophones: [CaptureDevice] = []
    /// Notes for the user about the choices that were made, one sentence each.
    package private(set) var notes: [String] = []
    /// The camera that the profile proposes, if the profile is used for the first time; otherwise `nil`.
    private(set) var proposal: DeviceIdentity?
    /// Sources supplied by the app. Roles of these sources don't require a device search.
    let suppliedSources: SuppliedSources
    /// The cameras with their USB devices, used to find their built-in microphones.
    private var locatedCameras: [LocatedDevice] = []

    /// Finds the devices of a profile's roles.
    ///
    /// Searches for real devices only if a role requires one, so synthetic devices work on a machine without real
    /// devices.
    ///
    /// - Parameters:
    ///   - profile: The profile with the roles to assign.
    ///   - memory: The stored device data.
    ///   - choices: The stored choices of all applications.
    ///   - application: The application that the user's stored choices belong to.
    ///   - own: Sources supplied by the app.
    /// - Throws: `SetupError` if a device is missing, ambiguous, or unusable, or if a selector is invalid.
    init(
        for profile: Profile, memory: DeviceStore, choices: ChoiceStore = ChoiceStore(),
        of application: ApplicationIdentifier = .multicam, own: SuppliedSources = SuppliedSources()
    ) throws(SetupError) {
        self.suppliedSources = own
        devices = own.planned
        notes = own.notes
        for camera in profile.cameras where VirtualSources.handles(camera.device) {
            devices[camera.role] = try Self.virtualCamera(camera)
        }
        var profile = profile
        for index in profile.microphones.indices {
            try profile.microphones[index].useFile(ofCameraIn: profile.cameras)
        }
        for microphone in profile.microphones where VirtualSources.handles(microphone.device) {
            devices[microphone.role] = try Self.virtualMicrophone(microphone)
        }
        let cameras = profile.cameras.filter { !Self.isSyntheticOrSupplied($0.device) }
        let microphones = profile.microphones.filter { !Self.isSyntheticOrSupplied($0.device) }
        for microphone in microphones { try Self.checkCamera(of: microphone, in: profile) }
        do throws(DeviceError) {
            if !cameras.isEmpty { try findCameras(cameras, of: profile, memory, choices, application) }
            if !microphones.isEmpty {
                try findMicrophones(microphones, memory, choices[application].microphones)
            }
        } catch {
            throw .device(error)
        }
    }

    /// Returns whether a selector names a synthetic device, a file, or a source supplied by the app.
    private static func isSyntheticOrSupplied(_ selector: String) -> Bool {
        VirtualSources.handles(selector) || SuppliedSources.handles(selector)
    }

    // MARK: Physical devices

    private mutating func findCameras(
        _ roles: [CameraRole], of profile: Profile, _ memory: DeviceStore, _ choices: ChoiceStore,
        _ application: ApplicationIdentifier
    ) throws(DeviceError) {
        locatedCameras = CameraCatalog().locatedCameras()
        let present = memory.applied(to: locatedCameras.map(\.device))
        presentCameras = present
        let choice = try ProfileChoice(profile, choices, of: application, present: present)
        proposal = choice.proposal
        let assignment = try RoleAssignment(
            roles.map { role in
                let isRemembered = memory.cameras[role.role] != nil
                return RoleAssignment.Role(
                    name: role.role, selector: choice.selector(role.device, isRemembered: isRemembered))
            }, kind: .camera,
            present: present, remembered: memory.cameras, leader: choice.leader,
            named: { selector throws(DeviceError) in
                try DeviceSelector.resolve(
                    DeviceSelector.withoutLinks(selector), kind: "camera", among: present)
            },
            preferred: choice.preferredCamera,
            best: { role, free in
                choice.best(free, offering: roles.first { $0.role == role.name }?.size)
            })
        notes += choice.notes + assignment.notes
        for role in roles {
            guard let device = assignment.devices[role.role] else { continue }
            devices[role.role] = PlannedDevice(selector: role.device, device: try Self.usable(device))
        }
    }

    private static func usable(_ device: CaptureDevice) throws(DeviceError) -> CaptureDevice {
        func refusal(_ reason: DeviceError.Reason) -> DeviceError {
            DeviceError(device: device.node, operation: "opening", reason: reason)
                .explained(node: device.node)
        }
        switch device.problem {
        case nil: return device
        case .inUse: throw refusal(.busy(by: nil))
        case .noPermission: throw refusal(.noPermission(nil))
        case .failing(let why):
            throw DeviceError(device: device.node, operation: "opening", reason: .other(why))
        }
    }

    private mutating func findMicrophones(
        _ roles: [MicrophoneRole], _ memory: DeviceStore, _ history: DeviceHistory
    ) throws(DeviceError) {
        let sources = try PulseCatalog.microphones(includeMonitors: true)
        let real = sources.filter { !$0.isMonitor }
        presentMicrophones = sources.map(\.captureDevice)
        let route = MicrophoneRoute(history: history, present: real.map(\.captureDevice)).current
        let cameras = devices.mapValues(\.device)
        let located = locatedCameras
        let usual = DefaultMicrophones(roles, count: real.count, hasDefault: route != nil)
        notes += usual.notes
        let assignment = try RoleAssignment(
            usual.roles, kind: .microphone,
            present: real.map(\.captureDevice), remembered: memory.microphones,
            named: { selector throws(DeviceError) in
                if selector == Self.defaultSelector, let route { return route.device }
                if let role = Self.cameraRole(of: selector) {
                    return try Self.microphone(in: cameras[role], of: selector, located, real)
                }
                return try PulseCatalog.resolve(selector, among: sources).captureDevice
            },
            best: { _, free in free.first { $0 == route?.device } ?? free.first })
        notes += assignment.notes
        for role in usual.others {
            guard let device = assignment.devices[role] else { continue }
            notes.append(
                "\(role): “\(device.name.printable())” is used because another role uses the default microphone.\(onCommandLine(" Choose another microphone with `--mic \(role)=…`."))"
            )
        }
        if let route, route.reason == .chosen, !route.device.isDefault {
            for role in usual.roles where role.selector == Self.defaultSelector {
                notes.append(
                    "\(role.name): your preferred input “\(route.device.name.printable())” (\(route.device.selector.printable())) is used as the default."
                )
            }
        }
        for role in roles {
            // The sound server identifies a source by its name.
            guard let device = assignment.devices[role.role],
                let source = sources.first(where: { $0.name == device.node })
            else { continue }
            pulseSources[role.role] = source
            if source.isMuted {
                notes.append(
                    "\(role.role): the microphone “\(source.description)” is muted in the sound server, so its track will be silent. Unmute it with `pactl set-source-mute '\(source.name.printable())' 0`, and check its volume."
                )
            }
            devices[role.role] = PlannedDevice(selector: role.device, device: device, offers: .listed([]))
        }
    }

    // MARK: Built-in microphones

    /// The only selector that refers to the user's preferred microphone.
    private static let defaultSelector = DefaultMicrophones.selector

    /// Returns the role in the selector of a camera's built-in microphone: `desk` for `camera:desk`.
    private static func cameraRole(of selector: String) -> String? {
        selector.hasPrefix("camera:") ? String(selector.dropFirst("camera:".count)) : nil
    }

    private static func checkCamera(of microphone: MicrophoneRole, in profile: Profile) throws(SetupError) {
        guard let role = cameraRole(of: microphone.device),
            !profile.cameras.contains(where: { $0.role == role })
        else { return }
        let roles = profile.cameras.map { "camera:\($0.role)" }
        throw .usage(
            "the microphone \(microphone.role) uses the camera `\(role.printable())`, which is not in the profile “\(profile.name.printable())”. \(roles.isEmpty ? "The profile does not contain a camera." : "Use one of \(roles.joined(separator: ", ")).")"
        )
    }

    private static func microphone(
        in camera: CaptureDevice?, of selector: String, _ cameras: [LocatedDevice],
        _ microphones: [PulseSource]
    ) throws(DeviceError) -> CaptureDevice {
        let joined = Companions.joined(cameras: cameras, microphones: microphones.map(\.located)).microphones
        guard let camera,
            let microphone = joined.first(where: {
                $0.companion?.busPath == camera.identity.busPath && $0.companion != nil
            })
        else {
            throw DeviceError(
                device: selector, operation: "searching for a camera's microphone",
                reason: .other(
                    "the sound server lists no microphone for \(camera.map { "“\($0.name.printable())”" } ?? "a synthetic camera"). \(onCommandLine("Run `multicam devices` to list cameras with microphones.", otherwise: "Choose another microphone."))"
                ))
        }
        return microphones.first { $0.name == microphone.node }?.captureDevice ?? microphone
    }

    // MARK: Synthetic and file devices

    private static func virtualCamera(_ role: CameraRole) throws(SetupError) -> PlannedDevice {
        do throws(VirtualDeviceError) {
            let wanted = VideoFormat(
                pixel: PixelFormat(rawValue: role.format.rawValue) ?? .mjpeg,
                size: role.size ?? FrameSize(width: 1280, height: 720),
                rate: role.rate ?? FrameRate(30, per: 1))
            let source = try VirtualSources.camera(selector: role.device, role: role.role, wanted: wanted)
            let format = source.format
            let offer = OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))
            var offers: PlannedDevice.Offers = .listed([offer])
            if let fixed = try VirtualSources.fixedFormat(of: role.device) {
                // If the device doesn't deliver a requested value, it supports only the value that it
                // delivers.
                offers = .any(
                    pixel: fixed.pixel ?? (format.pixel == wanted.pixel ? nil : format.pixel),
                    size: fixed.size ?? (format.size == wanted.size ? nil : format.size),
                    rate: fixed.rate ?? (format.rate == wanted.rate ? nil : format.rate))
            }
            return PlannedDevice(
                selector: role.device, device: source.device, offers: offers,
                usb: try SyntheticBus.camera(source.device.identity, of: role.device))
        } catch {
            throw SetupError(error)
        }
    }

    private static func virtualMicrophone(_ role: MicrophoneRole) throws(SetupError) -> PlannedDevice {
        do throws(VirtualDeviceError) {
            let source = try VirtualSources.microphone(selector: role.device, role: role.role)
            return PlannedDevice(selector: role.device, device: source.device, offers: .listed([]))
        } catch {
            throw SetupError(error)
        }
    }
}

extension SetupError {
    /// Converts an error from a synthetic device or a file.
    package init(_ error: VirtualDeviceError) {
        switch error {
        case .usage: self = .usage(error.description)
        case .device(let error): self = .device(error)
        }
    }
}

extension MicrophoneRole {
    /// Replaces `camera:ROLE` with the file that the camera plays. The microphone of a file camera is the file's audio
    /// track.
    ///
    /// - Throws: `SetupError` for a synthetic camera, because synthetic cameras don't have microphones.
    fileprivate mutating func useFile(ofCameraIn cameras: [CameraRole]) throws(SetupError) {
        guard let camera = cameras.first(where: { "camera:\($0.role)" == device }),
            VirtualSources.handles(camera.device)
        else { return }
        guard VirtualSources.isFile(camera.device) else {
            throw .usage(
                "the microphone \(role) uses the camera \(camera.role), which is synthetic and does not have a microphone. Use a synthetic microphone: `\(onCommandLine("--mic \(role)="))virtual:clap`."
            )
        }
        device = camera.device
    }
}
