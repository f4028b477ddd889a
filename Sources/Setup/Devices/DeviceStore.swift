internal import MulticamCapture
package import MulticamMedia

/// Device data stored between sessions: the last device of each role, and the user's notes on cameras.
///
/// This value is stored in a `StateFile`.
struct DeviceStore: StateFileContent {
    /// The user's notes on one camera.
    struct Note: Equatable, Codable {
        var identity: DeviceIdentity
        var position: CaptureDevice.Position?
        var mounting: Rotation?
        var type: CaptureDevice.DeviceType?
    }

    static let fileName = "devices.json"
    static let subject = "the device settings"
    static let currentSchema = 1

    var schema = DeviceStore.currentSchema
    /// The camera that was last used for each role.
    var cameras: [String: DeviceIdentity] = [:]
    var microphones: [String: DeviceIdentity] = [:]
    var remarks: [Note] = []

    /// Returns the cameras with the user's notes instead of the values reported by the system.
    ///
    /// - Parameter present: All connected cameras.
    /// - Returns: The same cameras in the same order.
    func applied(to present: [CaptureDevice]) -> [CaptureDevice] {
        var cameras = present
        for (remark, result) in zip(
            remarks, DeviceIdentity.search(for: remarks.map(\.identity), among: present))
        {
            // If a note matches two cameras, it isn't applied to either of them.
            guard case .found(let device, _) = result, let index = present.firstIndex(of: device) else {
                continue
            }
            if let position = remark.position { cameras[index].position = position }
            if let mounting = remark.mounting { cameras[index].mounting = mounting }
            if let type = remark.type {
                cameras[index].deviceType = type
                cameras[index].isTypeKnown = true
            }
        }
        return cameras
    }

    /// Adds a note on a camera to the camera's earlier notes.
    ///
    /// - Parameters:
    ///   - remark: The new note. Values that are `nil` leave the earlier values unchanged.
    ///   - present: All connected cameras, so that a camera on another port keeps its notes.
    mutating func add(_ remark: Note, among present: [CaptureDevice]) {
        var merged = remark
        for earlier in extractNotes(on: remark.identity, among: present) {
            merged.position = merged.position ?? earlier.position
            merged.mounting = merged.mounting ?? earlier.mounting
            merged.type = merged.type ?? earlier.type
        }
        remarks.append(merged)
    }

    /// Deletes the user's notes on a camera.
    ///
    /// - Returns: Whether any notes existed.
    mutating func removeNotes(on identity: DeviceIdentity, among present: [CaptureDevice]) -> Bool {
        !extractNotes(on: identity, among: present).isEmpty
    }

    /// Removes and returns the notes on one camera.
    private mutating func extractNotes(on identity: DeviceIdentity, among present: [CaptureDevice]) -> [Note]
    {
        let results = DeviceIdentity.search(for: remarks.map(\.identity), among: present)
        let taken = zip(remarks, results).map { remark, result in
            if remark.identity == identity { return true }
            guard case .found(let device, _) = result else { return false }
            return device.identity == identity
        }
        let found = zip(remarks, taken).filter { $0.1 }.map { $0.0 }
        remarks = zip(remarks, taken).filter { !$0.1 }.map { $0.0 }
        return found
    }
}

/// The user's notes on one camera. Notes override properties that the system doesn't report or reports incorrectly, and
/// are stored permanently.
package struct CameraNotes: Sendable, Equatable {
    /// The direction that the camera faces, or `nil` if not specified.
    package var position: CaptureDevice.Position?
    /// The clockwise rotation that makes the camera's frames upright, or `nil` if not specified.
    package var mounting: Rotation?
    /// The type of the camera, `builtIn` or `external`, or `nil` if not specified.
    package var type: CaptureDevice.DeviceType?

    /// Creates a note. A `nil` value leaves the earlier value unchanged.
    package init(
        position: CaptureDevice.Position? = nil, mounting: Rotation? = nil,
        type: CaptureDevice.DeviceType? = nil
    ) {
        self.position = position
        self.mounting = mounting
        self.type = type
    }

    /// Stores this note for a camera, merged with earlier notes. Blocks on disk I/O; don't call this from a Swift task.
    ///
    /// - Parameter selector: A selector that matches exactly one connected camera.
    /// - Returns: The camera with its new notes applied, and a warning for the user if earlier notes couldn't
    ///   be read.
    /// - Throws: `DeviceError` if no camera or several cameras match. `StateFileError` if the file can't be written.
    package func store(for selector: String) throws -> (camera: CaptureDevice, warning: String?) {
        try Self.change(selector) { memory, camera, present in
            memory.add(
                DeviceStore.Note(
                    identity: camera.identity, position: position, mounting: mounting, type: type),
                among: present)
        }
    }

    /// Deletes all notes on a camera. Blocks on disk I/O; don't call this from a Swift task.
    ///
    /// - Parameter selector: A selector that matches exactly one connected camera.
    /// - Returns: The camera as the system reports it, and a warning for the user if earlier notes couldn't be read.
    /// - Throws: `DeviceError` if no camera or several cameras match. `StateFileError` if the file can't be written.
    package static func delete(for selector: String) throws -> (camera: CaptureDevice, warning: String?) {
        try change(selector) { memory, camera, present in
            _ = memory.removeNotes(on: camera.identity, among: present)
        }
    }

    private static func change(
        _ selector: String, _ change: (inout DeviceStore, CaptureDevice, [CaptureDevice]) -> Void
    ) throws -> (camera: CaptureDevice, warning: String?) {
        guard let file = DeviceStore.file else {
            throw DeviceError(
                device: selector, operation: "saving the camera settings",
                reason: .other("neither XDG_STATE_HOME nor HOME is set. Set one of them."))
        }
        let present = try CameraCatalog().cameras()
        var memory = file.read().content
        // The selector is matched against cameras with the user's notes applied. For example,
        // `position:front` matches a camera whose note contains this position.
        let camera = try DeviceSelector.resolve(
            DeviceSelector.withoutLinks(selector), kind: "camera", among: memory.applied(to: present))
        let warning = try file.update { stored in
            change(&stored, camera, present)
            memory = stored
        }
        let annotated = memory.applied(to: present).first { $0.identity == camera.identity }
        return (annotated ?? camera, warning)
    }
}
