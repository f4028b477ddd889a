internal import FoundationEssentials
internal import Glibc
internal import MulticamCapture
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSession
internal import MulticamSetup
internal import MulticamVirtualDevices

/// A profile and its devices, which are located once and used for all runs of a test.
struct StressBench {
    let profile: Profile
    /// The plan of the unmodified profile.
    let plan: SessionPlan
    /// The formats that can be tested for each camera of the plan, in the plan's order.
    let offers: [StressOffer]
    /// Notes for the user about the choice of devices.
    let notes: [String]
    private let resolver: DeviceResolver

    /// Finds the devices of a profile.
    ///
    /// - Throws: `SetupError` if the profile or a selector is invalid, if the profile doesn't contain a camera, or if a
    ///   device is missing or busy, or access is denied.
    init(_ request: SessionConfiguration) throws(SetupError) {
        var (profile, resolver, warning) = try SessionSetup.resolveDevices(request)
        // The governor is disabled, because it would lower the quality before a failure occurs.
        profile.budget.governs = false
        // Live outputs are removed because the test covers devices, not networks.
        profile.liveOutputs = []
        do throws(ProfileError) {
            // The profile must record something, because a run is evaluated by its tracks.
            try profile.checkWritesAnything()
        } catch {
            throw .profile(error)
        }
        let plan = try Self.planned(profile, resolver.devices)
        guard !plan.cameras.isEmpty else {
            throw .usage(
                "the profile `\(profile.name.printable())` does not record a camera, so it cannot be stress-tested. Choose another profile."
            )
        }
        self.profile = profile
        self.plan = plan
        self.resolver = resolver
        notes = [warning].compactMap { $0 } + resolver.notes + plan.notes
        var offers: [StressOffer] = []
        for camera in plan.cameras {
            offers.append(
                StressOffer(
                    role: camera.role, requested: camera.format,
                    formats: try Self.formats(of: camera, resolver.devices[camera.role])))
        }
        self.offers = offers
    }

    /// The devices of the profile's plan, cameras first.
    var devices: [(role: String, device: CaptureDevice)] {
        (plan.cameras.map(\.role) + plan.microphones.map(\.role)).compactMap { role in
            resolver.devices[role].map { (role, $0.device) }
        }
    }

    /// Opens the devices of a run.
    func setup(_ trial: StressTrial) throws(SetupError) -> SessionSetup {
        try SessionSetup(trial.isProfile && trial.kind != .sets ? plan : plan(trial), of: resolver)
    }

    /// Returns the plan of a run.
    ///
    /// A run that tests a camera set records only the cameras of that set. Compressed frames are copied. Raw
    /// frames are encoded at the lowest cost, because their data rate would be too high for the disk. A run
    /// of the climb has the same outputs as the profile.
    private func plan(_ trial: StressTrial) throws(SetupError) -> SessionPlan {
        var variant = profile
        var devices = resolver.devices
        variant.cameras = trial.cameras.compactMap { role, format in
            guard var camera = profile.cameras.first(where: { $0.role == role }) else { return nil }
            Self.adapt(&camera, to: format.size, isAlone: trial.kind == .sets)
            camera.size = format.size
            camera.rate = format.rate
            camera.format = .auto
            devices[role]?.offers = .listed([
                OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))
            ])
            return camera
        }
        guard trial.kind == .sets else { return try Self.planned(variant, devices) }
        variant.microphones = []
        variant.program = nil
        variant.tracks = TrackSettings(
            cameras: .encode, microphones: .none, video: VideoSettings(preset: .ultrafast, encoder: .software)
        )
        var plan = try Self.planned(variant, devices)
        for index in plan.cameraTracks.indices {
            guard let camera = plan.cameras.first(where: { $0.role == plan.cameraTracks[index].role }),
                camera.format.pixel.isCompressed
            else { continue }
            plan.cameraTracks[index].mode = .copy
            plan.cameraTracks[index].settings.size = camera.format.size
        }
        return plan
    }

    /// Adapts the profile's frame regions to another size. A run that tests a camera set uses whole frames.
    private static func adapt(_ camera: inout CameraRole, to size: FrameSize, isAlone: Bool) {
        if isAlone {
            (camera.crop, camera.zoom, camera.output) = (nil, .none, nil)
        } else if camera.size != size {
            if case .rectangle(let area) = camera.crop,
                area.x + area.width > size.width || area.y + area.height > size.height
            {
                camera.crop = nil
            }
            (camera.zoom.pan, camera.zoom.tilt) = (0, 0)
            camera.output?.size = nil
        }
    }

    private static func planned(
        _ profile: Profile, _ devices: [String: PlannedDevice]
    ) throws(SetupError) -> SessionPlan {
        do throws(ProfileError) {
            return try SessionPlan(
                profile: profile, devices: devices, encoders: ThisMachine.triedEncoders)
        } catch {
            throw .profile(error)
        }
    }

    /// Returns the formats that a camera offers. A synthetic camera offers all formats that its selector permits.
    private static func formats(
        of camera: PlannedCamera, _ found: PlannedDevice?
    ) throws(SetupError) -> [OfferedFormat] {
        let asked = OfferedFormat(
            pixel: camera.format.pixel, size: camera.format.size, rates: .listed([camera.format.rate]))
        guard let device = found?.device else { return [asked] }
        switch device.deviceType {
        case .virtual: return [asked] + (try synthetic(camera))
        case .file: return [asked]
        case .builtIn, .external, .network, .screen, .microphone: return device.formats
        }
    }

    private static func synthetic(_ camera: PlannedCamera) throws(SetupError) -> [OfferedFormat] {
        let settings: VirtualCameraSettings
        do throws(VirtualDeviceError) {
            settings = try VirtualCameraSettings(selector: camera.selector)
        } catch {
            throw SetupError(error)
        }
        let sizes = settings.size.map { [$0] } ?? StressOffer.syntheticSizes
        let rates = settings.rate.map { [$0] } ?? StressOffer.syntheticRates
        let pixels = settings.pixel.map { [$0] } ?? [.mjpeg, .yuyv]
        return pixels.flatMap { pixel in
            sizes.map { OfferedFormat(pixel: pixel, size: $0, rates: .listed(rates)) }
        }
    }
}

/// Collects the computer's and devices' properties for a certificate from proc and sysfs, without opening a device.
struct StressMachine {
    /// The path prefix of `/sys` and `/proc`. Tests use a different folder.
    let root: String

    init(root: String = "") {
        self.root = root
    }

    var machine: StressCertificate.Machine {
        var name = utsname()
        uname(&name)
        let system = withUnsafeBytes(of: &name.sysname) { Self.word($0) }
        let release = withUnsafeBytes(of: &name.release) { Self.word($0) }
        let host = withUnsafeBytes(of: &name.nodename) { Self.word($0) }
        let controllers = USBTree(sysfs: root + "/sys").buses.map {
            StressCertificate.Controller(name: $0.controller, bus: $0.name, megabits: $0.speed?.rawValue)
        }
        return StressCertificate.Machine(
            host: host, system: "\(system) \(release)", processor: field("model name", of: "/proc/cpuinfo"),
            processors: ProcessInfo.processInfo.processorCount,
            memory_bytes: field("MemTotal", of: "/proc/meminfo").flatMap { text in
                text.split(separator: " ").first.flatMap { Int64($0) }.map { $0 * 1024 }
            }, controllers: controllers)
    }

    /// Returns the certificate's entry for a device.
    ///
    /// - Parameters:
    ///   - role: The device's role.
    ///   - device: The device that was found.
    ///   - offer: The formats of a camera; `nil` for a microphone.
    /// - Returns: The certificate entry for the device.
    func device(_ role: String, _ device: CaptureDevice, offer: StressOffer?) -> StressCertificate.Device {
        let isNode = device.node.hasPrefix("/dev/")
        let usb =
            isNode
            ? VideoNode.all(sysfs: root + "/sys").first { $0.node == device.node }?.usbDevice : nil
        let formats = (offer?.modes ?? []).map { mode in
            "\(mode.pixel.rawValue) \(mode.size) at \(mode.rates.map(\.description).joined(separator: "/"))"
        }
        return StressCertificate.Device(
            role: role, kind: device.mediaType == .video ? "camera" : "microphone",
            name: device.name.printable(),
            identity: device.identity.description.printable(),
            selector: device.selector.printable(limit: 400),
            product: device.identity.product.isEmpty ? nil : device.identity.product.printable(),
            firmware: usb.flatMap { Paths.text("\($0)/bcdDevice") }.map { $0.printable() },
            controller: device.controller?.printable(), megabits: device.busSpeed, formats: formats)
    }

    /// Returns the value of the first line `name : value` in a proc file.
    private func field(_ name: String, of file: String) -> String? {
        let bytes = Paths.bytes(root + file, atMost: 1 << 16) ?? []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(name) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { return parts[1].trimmed.printable() }
        }
        return nil
    }

    private static func word(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).printable()
    }
}
