internal import Capture
internal import Media
internal import Session
internal import VirtualDevices

/// Finds the device for each role of a profile. Opens none but to ask what it is.
struct DeviceResolver {
    /// By role, of cameras and microphones.
    private(set) var devices: [String: PlannedDevice] = [:]
    /// The sound server's own description of the real microphones among them.
    private(set) var pulseSources: [String: PulseSource] = [:]
    /// All real devices that are there, of the kinds that a role wants.
    private(set) var presentCameras: [CaptureDevice] = []
    private(set) var presentMicrophones: [CaptureDevice] = []
    /// What a person should know of the choices: one sentence each.
    private(set) var notes: [String] = []

    /// Finds the devices of a profile's roles.
    ///
    /// Real devices are looked for only when a role wants one, so that made-up ones work on a machine without any.
    ///
    /// - Parameters:
    ///   - profile: Whose roles.
    ///   - memory: What is remembered of devices.
    /// - Throws: When a device is missing, could be several, or cannot be used.
    init(for profile: Profile, memory: DeviceMemory) throws(SetupError) {
        for camera in profile.cameras where VirtualSources.handles(camera.device) {
            devices[camera.role] = try Self.virtualCamera(camera)
        }
        for microphone in profile.microphones where VirtualSources.handles(microphone.device) {
            devices[microphone.role] = try Self.virtualMicrophone(microphone)
        }
        let cameras = profile.cameras.filter { !VirtualSources.handles($0.device) }
        let microphones = profile.microphones.filter { !VirtualSources.handles($0.device) }
        do throws(DeviceError) {
            if !cameras.isEmpty { try findCameras(cameras, memory) }
            if !microphones.isEmpty { try findMicrophones(microphones, memory) }
        } catch {
            throw .device(error)
        }
    }

    // MARK: Real devices

    private mutating func findCameras(_ roles: [CameraRole], _ memory: DeviceMemory) throws(DeviceError) {
        let present = memory.applied(to: try CameraCatalog().cameras())
        presentCameras = present
        let assignment = try RoleAssignment(
            roles.map { RoleAssignment.Role(name: $0.role, selector: $0.device) }, kind: .camera,
            present: present, remembered: memory.cameras,
            named: { selector throws(DeviceError) in
                try DeviceSelector.resolve(
                    DeviceSelector.withoutLinks(selector), kind: "camera", among: present)
            },
            best: { role, free in
                let size = roles.first { $0.role == role.name }?.size
                return Self.best(free, offering: size) ?? free.first
            })
        notes += assignment.notes
        for role in roles {
            guard let device = assignment.devices[role.role] else { continue }
            devices[role.role] = PlannedDevice(selector: role.device, device: try Self.usable(device))
        }
    }

    /// The first camera that can be used and offers a size, else the first that can be used.
    private static func best(_ cameras: [CaptureDevice], offering size: PictureSize?) -> CaptureDevice? {
        let ready = cameras.filter { $0.problem == nil }
        return ready.first { camera in
            guard let size else { return true }
            return camera.formats.contains { $0.size == size }
        } ?? ready.first
    }

    private static func usable(_ device: CaptureDevice) throws(DeviceError) -> CaptureDevice {
        func refusal(_ reason: DeviceError.Reason) -> DeviceError {
            DeviceError(device: device.node, operation: "open", reason: reason).explained(node: device.node)
        }
        switch device.problem {
        case nil: return device
        case .inUse: throw refusal(.busy(by: nil))
        case .noPermission: throw refusal(.noPermission(nil))
        case .failing(let why): throw DeviceError(device: device.node, operation: "open", reason: .other(why))
        }
    }

    private mutating func findMicrophones(
        _ roles: [MicrophoneRole], _ memory: DeviceMemory
    ) throws(DeviceError) {
        let sources = try PulseCatalog.microphones(includeMonitors: true)
        let real = sources.filter { !$0.isMonitor }
        presentMicrophones = sources.map(\.captureDevice)
        let assignment = try RoleAssignment(
            roles.map { RoleAssignment.Role(name: $0.role, selector: $0.device) }, kind: .microphone,
            present: real.map(\.captureDevice), remembered: memory.microphones,
            named: { selector throws(DeviceError) in
                try PulseCatalog.resolve(selector, among: sources).captureDevice
            },
            best: { _, free in
                let usual = real.first(where: \.isDefault)?.captureDevice
                return free.first { $0 == usual } ?? free.first
            })
        notes += assignment.notes
        for role in roles {
            // A source's name is the server's key for it.
            guard let device = assignment.devices[role.role],
                let source = sources.first(where: { $0.name == device.node })
            else { continue }
            pulseSources[role.role] = source
            devices[role.role] = PlannedDevice(selector: role.device, device: device, offers: .listed([]))
        }
    }

    // MARK: Made-up and file devices

    private static func virtualCamera(_ role: CameraRole) throws(SetupError) -> PlannedDevice {
        do throws(VirtualDeviceError) {
            let wanted = VideoFormat(
                pixel: PixelFormat(rawValue: role.format.rawValue) ?? .mjpeg,
                size: role.size ?? PictureSize(width: 1280, height: 720),
                rate: role.rate ?? FrameRate(30, per: 1))
            let source = try VirtualSources.camera(selector: role.device, role: role.role, wanted: wanted)
            let format = source.format
            let offer = OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))
            var offers: PlannedDevice.Offers = .listed([offer])
            if let fixed = try VirtualSources.fixedFormat(of: role.device) {
                // What it was asked for and does not do, it will not do for another asking either.
                offers = .whatever(
                    pixel: fixed.pixel ?? (format.pixel == wanted.pixel ? nil : format.pixel),
                    size: fixed.size ?? (format.size == wanted.size ? nil : format.size),
                    rate: fixed.rate ?? (format.rate == wanted.rate ? nil : format.rate))
            }
            return PlannedDevice(
                selector: role.device, device: source.device, offers: offers,
                usb: try MadeUpBus.camera(source.device.identity, of: role.device))
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
    init(_ error: VirtualDeviceError) {
        switch error {
        case .usage: self = .usage(error.description)
        case .device(let error): self = .device(error)
        }
    }
}
