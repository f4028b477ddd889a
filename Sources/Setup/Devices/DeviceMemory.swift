internal import Media

/// What is remembered of devices between sessions: who played which role, and the user's remarks on cameras.
///
/// This value is stored by a `StateFile`.
struct DeviceMemory: StateFileContent {
    /// The user's remarks on one camera.
    struct Remark: Equatable, Codable {
        var identity: DeviceIdentity
        var position: CaptureDevice.Position?
        var mounting: Rotation?
        var type: CaptureDevice.DeviceType?
    }

    static let fileName = "devices.json"
    static let subject = "what is remembered of devices"
    static let currentSchema = 1

    var schema = DeviceMemory.currentSchema
    /// The camera that last played each role.
    var cameras: [String: DeviceIdentity] = [:]
    var microphones: [String: DeviceIdentity] = [:]
    var remarks: [Remark] = []

    /// The cameras with the user's remarks in place of what the system reports.
    ///
    /// - Parameter present: All connected cameras.
    /// - Returns: The same cameras in the same order.
    func applied(to present: [CaptureDevice]) -> [CaptureDevice] {
        var cameras = present
        for (remark, result) in zip(
            remarks, DeviceIdentity.search(for: remarks.map(\.identity), among: present))
        {
            // A remark that could mean either of two cameras is applied to neither.
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

    /// Adds a remark on a camera to the earlier ones.
    ///
    /// - Parameters:
    ///   - remark: The new remark; its `nil` values leave the earlier ones as they are.
    ///   - present: All connected cameras, so that a camera at another port keeps its remarks.
    mutating func add(_ remark: Remark, among present: [CaptureDevice]) {
        var merged = remark
        for earlier in take(of: remark.identity, among: present) {
            merged.position = merged.position ?? earlier.position
            merged.mounting = merged.mounting ?? earlier.mounting
            merged.type = merged.type ?? earlier.type
        }
        remarks.append(merged)
    }

    /// Deletes the user's remarks on a camera.
    ///
    /// - Returns: Whether there were any.
    mutating func forget(_ identity: DeviceIdentity, among present: [CaptureDevice]) -> Bool {
        !take(of: identity, among: present).isEmpty
    }

    /// Removes and returns the remarks on one camera.
    private mutating func take(of identity: DeviceIdentity, among present: [CaptureDevice]) -> [Remark] {
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
