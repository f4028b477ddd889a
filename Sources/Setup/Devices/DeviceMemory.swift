internal import Media

/// What is remembered of devices from one session to the next: who played which role, and what the user said of cameras.
///
/// A value; a `StateFile` keeps it.
struct DeviceMemory: StateFileContent {
    /// What the user has told of one camera.
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
    /// The camera that played a role last, by role.
    var cameras: [String: DeviceIdentity] = [:]
    var microphones: [String: DeviceIdentity] = [:]
    var remarks: [Remark] = []

    /// Cameras with what the user has said of them in place of what the system says.
    ///
    /// - Parameter present: All cameras that are there.
    /// - Returns: The same cameras in the same order.
    func applied(to present: [CaptureDevice]) -> [CaptureDevice] {
        var cameras = present
        for (remark, result) in zip(
            remarks, DeviceIdentity.search(for: remarks.map(\.identity), among: present))
        {
            // What could be meant for either of two is meant for none.
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

    /// Adds what the user says of a camera to what is known of it.
    ///
    /// - Parameters:
    ///   - remark: What it leaves open stays as it was.
    ///   - present: All cameras that are there: a camera that moved keeps what was said of it.
    mutating func add(_ remark: Remark, among present: [CaptureDevice]) {
        var merged = remark
        for earlier in take(of: remark.identity, among: present) {
            merged.position = merged.position ?? earlier.position
            merged.mounting = merged.mounting ?? earlier.mounting
            merged.type = merged.type ?? earlier.type
        }
        remarks.append(merged)
    }

    /// Forgets what the user said of a camera.
    ///
    /// - Returns: Whether there was anything.
    mutating func forget(_ identity: DeviceIdentity, among present: [CaptureDevice]) -> Bool {
        !take(of: identity, among: present).isEmpty
    }

    /// Takes out the remarks on one camera.
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
