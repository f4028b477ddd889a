internal import Capture
public import Media

/// Everything that is connected: for `multicam devices` and programs that let people choose.
public struct DeviceListing: Sendable {
    public let cameras: [CaptureDevice]
    public let microphones: [CaptureDevice]
    /// Why a kind of device could not be listed.
    public let problems: [DeviceError]
    /// What else the user should know: sentences.
    public let warnings: [String]

    /// Asks the kernel and the sound server. Either may fail without hiding what the other has.
    public init() {
        var problems: [DeviceError] = []
        var sources: [PulseSource] = []
        do throws(DeviceError) {
            sources = try PulseCatalog.microphones()
        } catch {
            problems.append(error)
        }
        let (memory, warning) = SessionSetup.memoryFile?.read() ?? (DeviceMemory(), nil)
        let joined = Companions.joined(
            cameras: CameraCatalog().locatedCameras(), microphones: sources.map(\.located))
        cameras = memory.applied(to: joined.cameras)
        microphones = joined.microphones
        self.problems = problems
        warnings = [warning].compactMap { $0 }
    }
}
