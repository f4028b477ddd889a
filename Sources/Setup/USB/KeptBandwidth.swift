internal import Media

/// What cameras kept of their USB when they streamed, by camera and format: what no program can ask before.
///
/// A value; a `StateFile` keeps it.
struct KeptBandwidth: StateFileContent {
    /// One camera in one format.
    struct Entry: Equatable, Codable {
        var identity: DeviceIdentity
        var format: VideoFormat
        /// Of one turn of its alternate setting.
        var bytes: Int
    }

    static let fileName = "bandwidth.json"
    static let subject = "what cameras keep of their USB"
    static let currentSchema = 1
    /// The oldest are forgotten beyond that.
    private static let mostEntries = 500

    var schema = KeptBandwidth.currentSchema
    private(set) var entries: [Entry] = []

    /// Adds what was seen, in place of what was known of the same camera in the same format.
    mutating func add(_ entry: Entry) {
        guard !entries.contains(entry) else { return }
        entries.removeAll { $0.identity == entry.identity && $0.format == entry.format }
        entries = (entries + [entry]).suffix(Self.mostEntries)
    }

    /// What is known of a camera, whichever port it was at. Twins without serial numbers are known by their port alone.
    ///
    /// - Parameters:
    ///   - camera: Of which.
    ///   - present: All cameras that are there.
    /// - Returns: What it kept in each format in which it has streamed.
    func learned(of camera: CaptureDevice, among present: [CaptureDevice]) -> [USBCamera.Learned] {
        zip(entries, DeviceIdentity.search(for: entries.map(\.identity), among: present)).compactMap {
            entry, result in
            guard case .found(let device, _) = result, device.identity == camera.identity else { return nil }
            return USBCamera.Learned(format: entry.format, bytes: entry.bytes)
        }
    }
}
