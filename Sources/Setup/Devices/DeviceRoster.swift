internal import Capture
internal import Media

/// Which devices are there, and what an update changes. A value.
struct DeviceRoster {
    /// Which devices are of interest.
    struct Filter: Equatable {
        var mediaType: CaptureDevice.MediaType?
        /// All when `nil`; the list is in their order.
        var deviceTypes: [CaptureDevice.DeviceType]?
        /// All when `unspecified`.
        var position = CaptureDevice.Position.unspecified

        func passes(_ device: CaptureDevice) -> Bool {
            (mediaType == nil || device.mediaType == mediaType)
                && (deviceTypes?.contains(device.deviceType) ?? true)
                && (position == .unspecified || device.position == position)
        }

        /// Where a device stands in the list, before the order in which it is found.
        func rank(_ device: CaptureDevice) -> Int { deviceTypes?.firstIndex(of: device.deviceType) ?? 0 }
    }

    private struct Entry {
        let instance: UInt64
        let device: CaptureDevice
    }

    private let filter: Filter
    /// As the system tells of them.
    private var found: [LocatedDevice] = []
    /// With the user's word.
    private var cameras: [LocatedDevice] = []
    private var microphones: [LocatedDevice] = []
    private var entries: [Entry] = []

    init(_ filter: Filter) {
        self.filter = filter
    }

    /// Those that pass the filter: in the order of its device types, if it has any; of a type, cameras by their nodes' numbers,
    /// then microphones in the sound server's order.
    var devices: [CaptureDevice] { entries.map(\.device) }

    /// - Parameters:
    ///   - cameras: All that are there.
    ///   - memory: What the user said of them.
    /// - Returns: Departures, then arrivals and changes, each in the order of the list.
    mutating func update(cameras: [LocatedDevice], memory: DeviceMemory) -> [DeviceChange] {
        found = cameras
        let told = memory.applied(to: cameras.map(\.device))
        self.cameras = zip(cameras, told).map {
            LocatedDevice(device: $1, usbDevice: $0.usbDevice, instance: $0.instance)
        }
        return refresh()
    }

    /// The same cameras, after the user has said something else of them.
    mutating func update(memory: DeviceMemory) -> [DeviceChange] { update(cameras: found, memory: memory) }

    mutating func update(microphones: [LocatedDevice]) -> [DeviceChange] {
        self.microphones = microphones
        return refresh()
    }

    private mutating func refresh() -> [DeviceChange] {
        let joined = Companions.joined(cameras: cameras, microphones: microphones)
        let instances = (cameras + microphones).map(\.instance)
        let passing = zip(instances, joined.cameras + joined.microphones)
            .map { Entry(instance: $0, device: $1) }.filter { filter.passes($0.device) }
        let now = passing.enumerated()
            .sorted {
                (filter.rank($0.element.device), $0.offset) < (filter.rank($1.element.device), $1.offset)
            }
            .map(\.element)
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
