internal import Media

/// The USB bandwidth that cameras reserved when they streamed, by camera and format, which no program can ask for in advance.
///
/// This value is stored by a `StateFile`.
struct KeptBandwidth: StateFileContent {
    /// The bandwidth of one camera in one format.
    struct Entry: Equatable, Codable {
        var identity: DeviceIdentity
        var format: VideoFormat
        /// Bytes per interval of the alternate setting that the camera streamed with.
        var bytes: Int
    }

    static let fileName = "bandwidth.json"
    static let subject = "what cameras keep of their USB"
    static let currentSchema = 1
    /// The greatest number of entries; the oldest are removed beyond that.
    private static let mostEntries = 500

    var schema = KeptBandwidth.currentSchema
    private(set) var entries: [Entry] = []

    /// Adds an observation, and replaces an earlier one of the same camera in the same format.
    mutating func add(_ entry: Entry) {
        guard !entries.contains(entry) else { return }
        entries.removeAll { $0.identity == entry.identity && $0.format == entry.format }
        entries = (entries + [entry]).suffix(Self.mostEntries)
    }

    /// The known bandwidths of a camera, whichever port it was at. Identical cameras without serial numbers are told apart by
    /// port.
    ///
    /// - Parameters:
    ///   - camera: The camera whose bandwidths are wanted.
    ///   - present: All connected cameras.
    /// - Returns: The bandwidth in each format in which the camera has streamed.
    func learned(of camera: CaptureDevice, among present: [CaptureDevice]) -> [USBCamera.Learned] {
        zip(entries, DeviceIdentity.search(for: entries.map(\.identity), among: present)).compactMap {
            entry, result in
            guard case .found(let device, _) = result, device.identity == camera.identity else { return nil }
            return USBCamera.Learned(format: entry.format, bytes: entry.bytes)
        }
    }
}
