internal import Capture
internal import Media

/// Which devices are there, and what an update changes. A value.
struct DeviceRoster {
    /// Which devices are of interest.
    struct Filter: Equatable {
        var mediaType: CaptureDevice.MediaType?
        /// All when `nil`.
        var deviceTypes: Set<CaptureDevice.DeviceType>?
        /// All when `unspecified`.
        var position = CaptureDevice.Position.unspecified

        func passes(_ device: CaptureDevice) -> Bool {
            (mediaType == nil || device.mediaType == mediaType)
                && (deviceTypes?.contains(device.deviceType) ?? true)
                && (position == .unspecified || device.position == position)
        }
    }

    private struct Entry {
        let instance: UInt64
        let device: CaptureDevice
    }

    private let filter: Filter
    private var cameras: [LocatedDevice] = []
    private var microphones: [LocatedDevice] = []
    private var entries: [Entry] = []

    init(_ filter: Filter) {
        self.filter = filter
    }

    /// Those that pass the filter: cameras by their nodes' numbers, then microphones in the sound server's order.
    var devices: [CaptureDevice] { entries.map(\.device) }

    /// - Parameters:
    ///   - cameras: All that are there.
    ///   - memory: What the user said of them.
    /// - Returns: Departures, then arrivals and changes, each in the order of the list.
    mutating func update(cameras: [LocatedDevice], memory: DeviceMemory) -> [DeviceChange] {
        let told = memory.applied(to: cameras.map(\.device))
        self.cameras = zip(cameras, told).map {
            LocatedDevice(device: $1, usbDevice: $0.usbDevice, instance: $0.instance)
        }
        return refresh()
    }

    mutating func update(microphones: [LocatedDevice]) -> [DeviceChange] {
        self.microphones = microphones
        return refresh()
    }

    private mutating func refresh() -> [DeviceChange] {
        let joined = Companions.joined(cameras: cameras, microphones: microphones)
        let instances = (cameras + microphones).map(\.instance)
        let now = zip(instances, joined.cameras + joined.microphones)
            .map { Entry(instance: $0, device: $1) }.filter { filter.passes($0.device) }
        let before = entries
        entries = now
        func counterpart(of entry: Entry, in others: [Entry]) -> Entry? {
            others.first { $0.instance == entry.instance && $0.device.mediaType == entry.device.mediaType }
        }
        let departed = before.filter { counterpart(of: $0, in: now) == nil }.map {
            DeviceChange.departed($0.device)
        }
        let others = now.compactMap { entry -> DeviceChange? in
            guard let earlier = counterpart(of: entry, in: before) else { return .arrived(entry.device) }
            return earlier.device == entry.device ? nil : .changed(entry.device, before: earlier.device)
        }
        return departed + others
    }
}
