internal import MulticamCapture
internal import MulticamMedia

/// The USB bandwidth that cameras have reserved while streaming, by camera and format. A camera's bandwidth
/// can't be queried before the camera streams.
///
/// This value is stored in a `StateFile`.
struct BandwidthStore: StateFileContent {
    /// Bandwidth of one camera in one format.
    struct Entry: Equatable, Codable {
        var identity: DeviceIdentity
        var format: VideoFormat
        /// Bytes per interval of the alternate setting that the camera used for streaming.
        var bytes: Int
    }

    static let fileName = "bandwidth.json"
    static let subject = "the camera bandwidth data"
    static let currentSchema = 1
    /// Maximum number of entries. When this number is exceeded, the oldest entries are removed.
    private static let mostEntries = 500

    var schema = BandwidthStore.currentSchema
    private(set) var entries: [Entry] = []

    /// Adds an observation, replacing an earlier one for the same camera and format.
    mutating func add(_ entry: Entry) {
        guard !entries.contains(entry) else { return }
        entries.removeAll { $0.identity == entry.identity && $0.format == entry.format }
        entries = (entries + [entry]).suffix(Self.mostEntries)
    }

    /// Returns the known bandwidths of a camera on any port. Identical cameras without serial numbers are distinguished
    /// by port.
    ///
    /// - Parameters:
    ///   - camera: The camera to look up.
    ///   - present: All connected cameras.
    /// - Returns: The bandwidth of each format that the camera has streamed.
    func bandwidths(of camera: CaptureDevice, among present: [CaptureDevice]) -> [USBCamera
        .MeasuredReservation]
    {
        zip(entries, DeviceIdentity.search(for: entries.map(\.identity), among: present)).compactMap {
            entry, result in
            guard case .found(let device, _) = result, device.identity == camera.identity else { return nil }
            return USBCamera.MeasuredReservation(format: entry.format, bytes: entry.bytes)
        }
    }
}

extension USBTopology {
    /// Returns the connected USB devices with the learned bandwidths of the cameras. Reads sysfs, and doesn't access
    /// the devices.
    ///
    /// - Returns: The topology, and a warning for the user if the learned bandwidths can't be read.
    static func connected() -> (topology: USBTopology, warning: String?) {
        let present = PresentCameras().devices()
        let (kept, warning) = BandwidthStore.file?.read() ?? (BandwidthStore(), nil)
        let topology = USBTopology(USBTree(), nodes: VideoNode.all(), cameras: present) {
            kept.bandwidths(of: $0, among: present)
        }
        return (topology, warning)
    }
}

extension StateFile<BandwidthStore> {
    /// Stores the bandwidth that streaming cameras reserve now. Writes nothing if all values are already known.
    ///
    /// - Parameter cameras: The cameras and their current formats.
    /// - Returns: A warning for the user if earlier values couldn't be read.
    /// - Throws: `StateFileError` if the file can't be written.
    func recordBandwidth(of cameras: [(device: CaptureDevice, format: VideoFormat)]) throws(StateFileError)
        -> String?
    {
        let nodes = VideoNode.all()
        let tree = USBTree()
        let seen = cameras.compactMap { camera -> BandwidthStore.Entry? in
            guard let node = nodes.first(where: { $0.node == camera.device.node }),
                let stream = tree.device(at: node.usbDevice)?.streamReservations(controlledBy: node.interface)
                    .first
            else { return nil }
            return BandwidthStore.Entry(
                identity: camera.device.identity, format: camera.format, bytes: stream.bytes)
        }
        guard !seen.isEmpty else { return nil }
        return try update { kept in
            for entry in seen { kept.add(entry) }
        }
    }
}
