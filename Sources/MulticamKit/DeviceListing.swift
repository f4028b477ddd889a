internal import Capture
public import Media

/// Everything that is connected: for `multicam devices` and programs that let people choose.
public struct DeviceListing: Sendable {
    public let cameras: [CaptureDevice]
    public let microphones: [CaptureDevice]
    /// Why a kind of device could not be listed.
    public let problems: [DeviceError]

    /// Asks the kernel and the sound server. Either may fail without hiding what the other has.
    public init() {
        var problems: [DeviceError] = []
        var sources: [PulseSource] = []
        do throws(DeviceError) {
            sources = try PulseCatalog.microphones()
        } catch {
            problems.append(error)
        }
        let microphones = sources.map { source in
            LocatedDevice(
                device: source.captureDevice,
                usbDevice: source.sysfsPath.isEmpty
                    ? nil : CameraCatalog.usbDevice(ofSysfsPath: source.sysfsPath))
        }
        (cameras, self.microphones) = Companions.joined(
            cameras: CameraCatalog().locatedCameras(), microphones: microphones)
        self.problems = problems
    }
}
