internal import Capture
internal import Glibc
public import Media
internal import VirtualDevices

/// The presets of one camera: values of its controls that were kept under names.
///
/// The file is shared by all processes of the user; reading and changing it waits for the disk.
public struct CameraPresets: Sendable {
    private let device: CaptureDevice
    private let present: [CaptureDevice]

    /// Finds the presets of a camera. Looks for the other cameras, so that one at another port is recognized; that takes
    /// milliseconds.
    ///
    /// - Parameter device: The camera.
    public init(of device: CaptureDevice) {
        guard !VirtualSources.handles(device.selector) else {
            self.init(of: device, among: [device])
            return
        }
        let cameras: [CaptureDevice]
        do throws(DeviceError) {
            cameras = (DeviceMemory.file?.read().content ?? DeviceMemory()).applied(
                to: try CameraCatalog().cameras())
        } catch {
            // The camera is known, and its presets by its identity, whatever else is connected.
            cameras = []
        }
        self.init(of: device, among: cameras.isEmpty ? [device] : cameras)
    }

    /// Finds the presets of a camera.
    ///
    /// - Parameters:
    ///   - device: The camera.
    ///   - present: All connected cameras, so that one at another port is recognized.
    init(of device: CaptureDevice, among present: [CaptureDevice]) {
        (self.device, self.present) = (device, present)
    }

    /// The names of the presets, and a sentence for the user when the file cannot be read.
    public func names() -> (names: [String], warning: String?) {
        guard let (kept, warning) = ControlPresets.file?.read() else { return ([], nil) }
        return (kept.presets(of: device, among: present).map(\.name), warning)
    }

    /// Stores values of all settable controls as a preset, and replaces an earlier one of that name.
    ///
    /// - Parameters:
    ///   - controls: The camera's controls with the values to keep.
    ///   - name: The preset's name.
    /// - Returns: A sentence for the user when earlier presets could not be read.
    /// - Throws: `StateFileError` when the preset cannot be written.
    public func save(_ controls: [DeviceControl], as name: String) throws(StateFileError) -> String? {
        let values = controls.keepingRequests.map {
            ControlPresets.Value(control: $0.name, value: $0.value)
        }
        return try Self.writableFile().update { kept in
            kept.save(values, as: name, of: device, among: present)
        }
    }

    /// Deletes a preset.
    ///
    /// - Returns: A sentence for the user when earlier presets could not be read.
    /// - Throws: `DeviceError` when there is no preset of that name, `StateFileError` when the file cannot be written.
    public func forget(_ name: String) throws -> String? {
        _ = try preset(name)
        return try Self.writableFile().update { $0.forget(name, of: device, among: present) }
    }

    /// The requests that restore a preset, in an order in which they can be set. Sets nothing.
    ///
    /// - Throws: `DeviceError.control` when there is no preset of that name.
    public func requests(of name: String) throws(DeviceError) -> [ControlRequest] {
        try preset(name).values.map {
            ControlRequest(name: $0.control, value: $0.value, origin: .preset)
        }
    }

    private func preset(_ name: String) throws(DeviceError) -> ControlPresets.Preset {
        let own = ControlPresets.file?.read().content.presets(of: device, among: present) ?? []
        guard let found = own.first(where: { $0.name == name }) else {
            throw DeviceError(
                device: device.node, operation: "looking for the preset “\(name.printable())”",
                reason: .control(.noPreset(own.map(\.name))))
        }
        return found
    }

    private static func writableFile() throws(StateFileError) -> StateFile<ControlPresets> {
        guard let file = ControlPresets.file else {
            throw StateFileError(
                path: "XDG_STATE_HOME", subject: ControlPresets.subject, operation: "keep", errno: ENOENT)
        }
        return file
    }
}
