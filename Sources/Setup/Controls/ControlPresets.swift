internal import Media

/// The stored presets of all cameras: control values under a name, by the camera's identity.
///
/// This value is stored by a `StateFile`.
struct ControlPresets: StateFileContent {
    struct Value: Equatable, Codable {
        var control: String
        var value: Int64
    }

    struct Preset: Equatable, Codable {
        var camera: DeviceIdentity
        var name: String
        /// The values, in an order in which they can be set.
        var values: [Value]
    }

    static let fileName = "controls.json"
    static let subject = "what is kept of cameras' controls"
    static let currentSchema = 1

    var schema = ControlPresets.currentSchema
    var presets: [Preset] = []

    /// The presets of one camera, sorted by name.
    ///
    /// - Parameters:
    ///   - camera: The camera whose presets are wanted.
    ///   - present: All connected cameras, so that a camera at another port is recognized.
    /// - Returns: The presets of this very camera.
    func presets(of camera: CaptureDevice, among present: [CaptureDevice]) -> [Preset] {
        let results = DeviceIdentity.search(for: presets.map(\.camera), among: present)
        let own = zip(presets, results).filter { preset, result in
            if preset.camera == camera.identity { return true }
            guard case .found(let device, _) = result else { return false }
            return device.identity == camera.identity
        }
        return own.map { $0.0 }.sorted { $0.name < $1.name }
    }

    /// Stores a preset, and replaces the camera's earlier one of that name.
    mutating func save(
        _ values: [Value], as name: String, of camera: CaptureDevice, among present: [CaptureDevice]
    ) {
        forget(name, of: camera, among: present)
        presets.append(Preset(camera: camera.identity, name: name, values: values))
    }

    mutating func forget(_ name: String, of camera: CaptureDevice, among present: [CaptureDevice]) {
        let own = presets(of: camera, among: present).filter { $0.name == name }
        presets.removeAll { own.contains($0) }
    }
}
