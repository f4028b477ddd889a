internal import Media

/// What a user keeps of cameras' controls, each under a name, by the camera's identity.
///
/// A value; a `StateFile` keeps it.
struct ControlPresets: StateFileContent {
    struct Value: Equatable, Codable {
        var control: String
        var value: Int64
    }

    struct Preset: Equatable, Codable {
        var camera: DeviceIdentity
        var name: String
        /// In an order in which they can be set.
        var values: [Value]
    }

    static let fileName = "controls.json"
    static let subject = "what is kept of cameras' controls"
    static let currentSchema = 1

    var schema = ControlPresets.currentSchema
    var presets: [Preset] = []

    /// The presets of a camera, by name.
    ///
    /// - Parameters:
    ///   - camera: Whose.
    ///   - present: All cameras that are there: one that moved to another port is still known.
    /// - Returns: Those that were kept of this very camera.
    func presets(of camera: CaptureDevice, among present: [CaptureDevice]) -> [Preset] {
        let results = DeviceIdentity.search(for: presets.map(\.camera), among: present)
        let own = zip(presets, results).filter { preset, result in
            if preset.camera == camera.identity { return true }
            guard case .found(let device, _) = result else { return false }
            return device.identity == camera.identity
        }
        return own.map { $0.0 }.sorted { $0.name < $1.name }
    }

    /// Keeps a preset in place of the camera's one of that name.
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
