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

    /// Finds the devices of a profile's roles.
    ///
    /// Real devices are looked for only when a role wants one, so that made-up ones work on a machine without any.
    init(for profile: Profile) throws(SetupError) {
        for camera in profile.cameras where VirtualSources.handles(camera.device) {
            devices[camera.role] = try Self.virtualCamera(camera)
        }
        for microphone in profile.microphones where VirtualSources.handles(microphone.device) {
            devices[microphone.role] = try Self.virtualMicrophone(microphone)
        }
        let cameras = profile.cameras.filter { !VirtualSources.handles($0.device) }
        let microphones = profile.microphones.filter { !VirtualSources.handles($0.device) }
        do throws(DeviceError) {
            if !cameras.isEmpty {
                let present = try CameraCatalog().cameras()
                devices.merge(try Self.cameras(cameras, among: present)) { $1 }
            }
            if !microphones.isEmpty {
                let present = try PulseCatalog.microphones(includeMonitors: true)
                for microphone in microphones {
                    let source = try PulseCatalog.resolve(microphone.device, among: present)
                    pulseSources[microphone.role] = source
                    devices[microphone.role] = PlannedDevice(
                        selector: microphone.device, device: source.captureDevice, offers: .listed([]))
                }
            }
        } catch {
            throw .device(error)
        }
    }

    // MARK: Real cameras

    /// Roles that name a camera come first; `any` takes the best of those that remain, in the profile's order.
    private static func cameras(
        _ roles: [CameraRole], among present: [CaptureDevice]
    ) throws(DeviceError) -> [String: PlannedDevice] {
        var chosen: [String: PlannedDevice] = [:]
        var free = present
        for role in roles where role.device != "any" {
            let device = try usable(DeviceSelector.resolve(role.device, kind: "camera", among: present))
            chosen[role.role] = PlannedDevice(selector: role.device, device: device)
            free.removeAll { $0.node == device.node }
        }
        for role in roles where role.device == "any" {
            guard let device = best(free, for: role) ?? free.first else {
                throw DeviceError(
                    device: "camera \(role.role) (any)", operation: "choose",
                    reason: present.isEmpty
                        ? .other(
                            "no camera is connected. Connect one, name a file with `--camera \(role.role)=file:PATH`, or "
                                + "try `--virtual`.")
                        : .other(
                            "all \(present.count) cameras are taken by other roles. Connect another one, name a file, or "
                                + "try `--virtual`."))
            }
            chosen[role.role] = PlannedDevice(selector: role.device, device: try usable(device))
            free.removeAll { $0.node == device.node }
        }
        return chosen
    }

    /// The first camera that can be used and has what the role asks, else the first that can be used.
    private static func best(_ cameras: [CaptureDevice], for role: CameraRole) -> CaptureDevice? {
        let ready = cameras.filter { $0.problem == nil }
        return ready.first { camera in
            guard let size = role.size else { return true }
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
            return PlannedDevice(selector: role.device, device: source.device, offers: .listed([offer]))
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
