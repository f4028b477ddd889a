internal import Glibc
internal import MulticamCapture
package import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamVirtualDevices

/// The presets of one camera: saved control values, identified by name.
///
/// All processes of the user share one preset file. Reading or changing the presets blocks on disk I/O.
package struct CameraPresets: Sendable {
    private let device: CaptureDevice
    private let present: [CaptureDevice]

    /// Finds the presets of a camera. Also enumerates the other cameras, so that a camera is recognized on
    /// another port. This takes milliseconds.
    ///
    /// - Parameter device: The camera that the presets belong to.
    package init(of device: CaptureDevice) {
        guard !VirtualSources.handles(device.selector) else {
            self.init(of: device, among: [device])
            return
        }
        let cameras: [CaptureDevice]
        do throws(DeviceError) {
            cameras = (DeviceStore.file?.read().content ?? DeviceStore()).applied(
                to: try CameraCatalog().cameras())
        } catch {
            // Without the other cameras, the presets are found by the camera's identity only.
            cameras = []
        }
        self.init(of: device, among: cameras.isEmpty ? [device] : cameras)
    }

    /// Finds the presets of a camera.
    ///
    /// - Parameters:
    ///   - device: The camera that the presets belong to.
    ///   - present: All connected cameras, used to recognize a camera on another port.
    init(of device: CaptureDevice, among present: [CaptureDevice]) {
        (self.device, self.present) = (device, present)
    }

    /// Returns the names of the presets, and a warning for the user if the file can't be read.
    package func names() -> (names: [String], warning: String?) {
        guard let (kept, warning) = ControlPresets.file?.read() else { return ([], nil) }
        return (kept.presets(of: device, among: present).map(\.name), warning)
    }

    /// Saves the values of all settable controls as a preset, replacing an earlier preset with the same name.
    ///
    /// - Parameters:
    ///   - controls: The camera's controls with the values to save.
    ///   - name: The preset's name.
    /// - Returns: A warning for the user if earlier presets couldn't be read.
    /// - Throws: `StateFileError` if the preset can't be written.
    package func save(_ controls: [DeviceControl], as name: String) throws(StateFileError) -> String? {
        let values = controls.restoringRequests.map {
            ControlPresets.Value(control: $0.name, value: $0.value)
        }
        return try Self.writableFile().update { kept in
            kept.save(values, as: name, of: device, among: present)
        }
    }

    /// Deletes a preset.
    ///
    /// - Returns: A warning for the user if earlier presets couldn't be read.
    /// - Throws: `DeviceError` if the preset doesn't exist. `StateFileError` if the file can't be written.
    package func delete(_ name: String) throws -> String? {
        _ = try preset(name)
        return try Self.writableFile().update { $0.delete(name, of: device, among: present) }
    }

    /// Returns the requests that restore a preset, in a valid order. This method doesn't set any control.
    ///
    /// - Throws: `DeviceError.control` if the preset doesn't exist.
    package func requests(of name: String) throws(DeviceError) -> [ControlRequest] {
        try preset(name).values.map {
            ControlRequest(name: $0.control, value: $0.value, origin: .preset)
        }
    }

    private func preset(_ name: String) throws(DeviceError) -> ControlPresets.Preset {
        let own = ControlPresets.file?.read().content.presets(of: device, among: present) ?? []
        guard let found = own.first(where: { $0.name == name }) else {
            throw DeviceError(
                device: device.node, operation: "searching for the preset “\(name.printable())”",
                reason: .control(.unknownPreset(own.map(\.name))))
        }
        return found
    }

    private static func writableFile() throws(StateFileError) -> StateFile<ControlPresets> {
        guard let file = ControlPresets.file else {
            throw StateFileError(
                path: "XDG_STATE_HOME", subject: ControlPresets.subject, operation: "save", errno: ENOENT)
        }
        return file
    }
}

/// The saved presets of all cameras. Each preset contains named control values and belongs to a camera identity.
///
/// This value is stored in a `StateFile`.
struct ControlPresets: StateFileContent {
    struct Value: Equatable, Codable {
        var control: String
        var value: Int64
    }

    struct Preset: Equatable, Codable {
        var camera: DeviceIdentity
        var name: String
        /// The control values, in a valid order for setting them.
        var values: [Value]
    }

    static let fileName = "controls.json"
    static let subject = "the camera presets"
    static let currentSchema = 1

    var schema = ControlPresets.currentSchema
    var presets: [Preset] = []

    /// Returns the presets of one camera, sorted by name.
    ///
    /// - Parameters:
    ///   - camera: The camera to look up.
    ///   - present: All connected cameras, used to recognize a camera on another port.
    /// - Returns: The presets that belong to this camera.
    func presets(of camera: CaptureDevice, among present: [CaptureDevice]) -> [Preset] {
        let results = DeviceIdentity.search(for: presets.map(\.camera), among: present)
        let own = zip(presets, results).filter { preset, result in
            if preset.camera == camera.identity { return true }
            guard case .found(let device, _) = result else { return false }
            return device.identity == camera.identity
        }
        return own.map { $0.0 }.sorted { $0.name < $1.name }
    }

    /// Saves a preset, replacing the camera's earlier preset with the same name.
    mutating func save(
        _ values: [Value], as name: String, of camera: CaptureDevice, among present: [CaptureDevice]
    ) {
        delete(name, of: camera, among: present)
        presets.append(Preset(camera: camera.identity, name: name, values: values))
    }

    mutating func delete(_ name: String, of camera: CaptureDevice, among present: [CaptureDevice]) {
        let own = presets(of: camera, among: present).filter { $0.name == name }
        presets.removeAll { own.contains($0) }
    }
}

extension Profile {
    /// Returns the profile with the values of its cameras' presets filled in. Values in the profile's
    /// `controls` override the presets.
    ///
    /// - Parameters:
    ///   - kept: The saved presets of all cameras.
    ///   - devices: The devices by role.
    ///   - present: All connected cameras.
    /// - Returns: A profile that no longer depends on this user's saved presets.
    /// - Throws: `ProfileError` if the camera of a role doesn't have a preset with the given name.
    func withPresets(
        from kept: ControlPresets, devices: [String: PlannedDevice], present: [CaptureDevice]
    ) throws(ProfileError) -> Profile {
        var profile = self
        for (index, camera) in cameras.enumerated() {
            guard let name = camera.preset, let device = devices[camera.role]?.device else { continue }
            let presets = kept.presets(of: device, among: present.isEmpty ? [device] : present)
            guard let preset = presets.first(where: { $0.name == name }) else {
                throw source.error(
                    at: "cameras.\(camera.role).preset",
                    found: "“\(name)”, which is not a preset of \(device.name)",
                    expected: presets.isEmpty
                        ? "no preset, because none is saved for this camera"
                            + onCommandLine(
                                ". Save one with `multicam controls \(device.selector.shellQuoted()) --save NAME`"
                            )
                        : "one of \(presets.map(\.name).joined(separator: ", "))")
            }
            let own = Set(camera.controls.map(\.name))
            let added = preset.values.filter { !own.contains($0.control) }
            profile.cameras[index].controls =
                added.map { ControlSetting(name: $0.control, value: .number($0.value), origin: .preset) }
                + camera.controls
        }
        return profile
    }
}
